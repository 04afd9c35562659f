import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { object, string } from '../../../src/schema/schema.ts'
import { stopBatchOnSignals } from '../../../src/faces/cli/signals.ts'
import { showResults } from '../../../src/faces/cli/show-results.ts'
import { openTerminal } from '../../../src/faces/cli/terminal.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'

/** Runs a batch as the command line does, with a tool that takes its time: `node signal-child.ts ROOT STATE KIND`. */
const [, , root = '', stateDir = '', kind = ''] = process.argv
const events = join(stateDir, '..', 'events.txt')
const note = (word: string): void => appendFileSync(events, `${word}\n`)

const slow = defineTool({
  name: 'slow',
  version: '1.0.0',
  description: 'Writes a file and does not come back',
  effect: 'edit',
  input: object({}, 'Nothing'),
  output: object({ said: string('A word') }, 'An answer'),
  run: (_args, { edits, signal }) => {
    edits.write('half.txt', new Uint8Array(1))
    signal.addEventListener('abort', () => {
      note('told')
      // Further signals come while this one is being dealt with.
      spin(300)
    })
    note('begun')
    if (kind !== 'deaf') return new Promise<never>(() => undefined)
    spin(1500)
    note('done')
    return { said: 'done' }
  },
})

/** Keeps the whole process from hearing anything for a while. */
function spin(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const runtime = await createRuntime({
  root,
  stateDir,
  tools: [slow],
  config: { 'tools.approval.mode': 'auto' },
})
const terminal = openTerminal()
const stop = new AbortController()
stopBatchOnSignals(stop, terminal)
const calls = ['slow', 'slow', 'list_directory'].map((name, index) => ({
  id: `c${index + 1}`,
  name,
  args: name === 'slow' ? {} : { path: '.' },
}))
const results = await runtime.run(calls, { signal: stop.signal })
process.exitCode = showResults(results, true, terminal)
await runtime.close()
