import { describeRepetition } from '../../../policy/rules/judge-rules.ts'
import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

/** `tongs rules`: each rule in force as one plain sentence. */
export async function rules(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const found = runtime.rules()
    const always = [describeRepetition(runtime.configuration.settings['tools.max_identical_failures'])]
    if (line.has('--json')) terminal.json({ rules: found, always })
    else {
      if (found.length === 0) terminal.print('No rules are configured.')
      for (const { sentence, from } of found)
        terminal.print(`${safe(sentence)}  ${terminal.paint('dim', safe(from))}`)
      for (const sentence of always) terminal.print(sentence)
    }
    return 0
  } finally {
    await runtime.close()
  }
}
