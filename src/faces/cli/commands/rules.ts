import { describeRule } from '../../../policy/rules/rule-table.ts'
import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

/** `tongs rules`: each rule in force as one plain sentence. */
export async function rules(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const found = runtime.configuration.settings['tools.rules'].map((rule) => ({
      ...rule,
      sentence: describeRule(rule),
    }))
    if (line.has('--json')) terminal.json({ rules: found })
    else if (found.length === 0) terminal.say('No rules are configured.')
    else for (const { sentence } of found) terminal.say(safe(sentence))
    return 0
  } finally {
    await runtime.close()
  }
}
