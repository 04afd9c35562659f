import { existsSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ToolResult } from '../../../src/core/result.ts'
import { defineTool } from '../../../src/tools/define/define-tool.ts'
import { boolean, object } from '../../../src/schema/schema.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'

// One of many processes that work on one state folder at a time: node hammer.ts MODE ROOT STATE SESSION COUNT
const [mode = '', root = '', stateDir = '', session = '', count = '1'] = process.argv.slice(2)

/** Waits until the test lets it go on; a file is the sign. */
const pause = defineTool({
  name: 'pause',
  version: '1.0.0',
  description: 'Waits for a sign',
  effect: 'read',
  input: object({}, 'Nothing'),
  output: object({ done: boolean('Always') }, 'The outcome'),
  run: async () => {
    writeSync(1, 'paused\n')
    while (!existsSync(`${stateDir}.go`)) await sleep(5)
    return { done: true }
  },
})

const open = (): Promise<Runtime> =>
  createRuntime({ root, stateDir, tools: [pause], approve: (asked) => asked.map(() => 'once') })

async function run(
  runtime: Runtime,
  calls: readonly (readonly [name: string, args: object])[],
): Promise<void> {
  const numbered = calls.map(([name, args], index) => ({ id: `c${index}`, name, args }))
  for (const result of await runtime.run(numbered, { session })) {
    if (!result.ok) throw new Error(`${result.name}: ${result.content}`)
  }
}

/** Edits files of its own, in a runtime that stays open. */
async function editAlone(): Promise<void> {
  const runtime = await open()
  for (let round = 0; round < Number(count); round++) {
    await run(runtime, [
      ['write_file', { path: `${session}/new-${round}.txt`, content: `${session} ${round}\n` }],
    ])
    const path = `${session}/log.txt`
    await run(runtime, [
      ...(round === 0 ? [] : [['read_file', { path }] as const]),
      ['write_file', { path, content: `${round}\n`, append: true }],
    ])
  }
  await runtime.close()
}

/** Adds lines to a file that others in the same session add to. */
async function takeTurns(): Promise<void> {
  for (let round = 0; round < Number(count); round++) {
    const runtime = await open()
    const content = `${process.pid} ${round}\n`
    await run(runtime, [
      ['read_file', { path: 'shared.txt' }],
      ['write_file', { path: 'shared.txt', content, append: true }],
    ])
    await runtime.close()
  }
}

/** How a call ended; what nobody expects, with its message. */
function describe(result: ToolResult): string {
  if (result.ok) return 'ok'
  const { code, message } = result.error
  return code === 'stale_file' ? code : `${result.name}: ${code}: ${JSON.stringify(message)}`
}

/** Adds lines to a file that other sessions add to at the same moment; says how each of its calls ended. */
async function compete(): Promise<void> {
  const runtime = await open()
  for (let round = 0; round < Number(count); round++) {
    const content = `${session} ${round}\n`
    const results = await runtime.run(
      [
        { id: 'r', name: 'read_file', args: { path: 'shared.txt' } },
        {
          id: 'w',
          name: 'write_file',
          args: { path: 'shared.txt', content, append: true, no_backup: round % 2 === 0 },
        },
      ],
      { session },
    )
    for (const result of results)
      if (!result.ok || result.name === 'write_file') writeSync(1, `${describe(result)}\n`)
  }
  await runtime.close()
}

/** Waits inside a call while it owns the session, then edits. */
async function pauseAndEdit(): Promise<void> {
  const runtime = await open()
  const patch = 'LP1\nF one.txt\nT\none\n.\nF sub/two.txt\nT\ntwo\n.\nF three.txt\nT\nthree\n.\nEND'
  await run(runtime, [
    ['pause', {}],
    ['apply_patch', { patch }],
  ])
  await runtime.close()
}

if (mode === 'edit') await editAlone()
else if (mode === 'share') await takeTurns()
else if (mode === 'compete') await compete()
else await pauseAndEdit()
