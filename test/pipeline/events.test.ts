import { describe, expect, it } from 'vitest'
import { readStored } from '../../src/journal/folds/read-result.ts'
import type { LiveEvent } from '../../src/pipeline/engine.ts'
import type { RuntimeOptions } from '../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import { simpleTool } from '../harness/simple-tool.ts'
import { shellWord } from '../harness/shell-word.ts'
import { batchOf, outcomes, reader } from './sample-tools.ts'

const agreed: Partial<RuntimeOptions> = {
  approve: (requests) => requests.map(() => 'once' as const),
  config: { 'tools.run_command.enabled': true },
}
const command = (id: string, line: string) => ({ id, name: 'run_command', args: { command: line } })

/** What a watcher is told of one call: started, chunks, completed. */
function storyOf(events: readonly LiveEvent[], id: string): readonly string[] {
  return events.flatMap((event) => {
    if (event.event === 'result') return event.result.id === id ? ['completed'] : []
    if (event.id !== id) return []
    if (event.event === 'output') return ['chunk']
    return event.event === 'state' && event.state === 'EXECUTING' ? ['started'] : []
  })
}

function textOf(events: readonly LiveEvent[], id: string, stream: 'stdout' | 'stderr'): string {
  return events
    .flatMap((event) =>
      event.event === 'output' && event.id === id && event.stream === stream ? [event.chunk] : [],
    )
    .join('')
}

describe('the events of a call', () => {
  it.each(['memory', 'full'] as const)(
    'nothing of a batch happens before whoever began it has it in hand (%s)',
    async (durability) => {
      let hasBegun = false
      const notes = reader('notes', () => {
        hasBegun = true
        return { said: '' }
      })
      const runtime = await bench().open({ tools: [notes], durability })
      for (let round = 0; round < 50; round++) {
        await runtime.run(batchOf(['notes']))
        hasBegun = false
        const events: string[] = []
        const stop = new AbortController()
        const running = runtime.run(batchOf(['notes']), {
          signal: stop.signal,
          onEvent: ({ event }) => events.push(event),
        })
        expect(events).toEqual([])
        stop.abort()
        expect(outcomes(await running)).toEqual(['cancelled'])
        expect(hasBegun).toBe(false)
      }
    },
  )

  it('FR-OUT-01: it starts before its first chunk, ends after its last, and calls do not mix', async () => {
    const runtime = await bench().open(agreed)
    const events: LiveEvent[] = []
    const calls = [
      command('a', 'seq 1 20000; echo late >&2'),
      command('b', 'exit 3'),
      command('c', 'echo one; sleep 0.1; printf two'),
    ]
    await runtime.run(calls, { onEvent: (event) => void events.push(event) })
    for (const { id } of calls) {
      const story = storyOf(events, id)
      expect(story.filter((word) => word === 'started')).toHaveLength(1)
      expect(story[0]).toBe('started')
      expect(story.at(-1)).toBe('completed')
      expect(story.slice(1, -1).every((word) => word === 'chunk')).toBe(true)
    }
    const order = events.flatMap((event) =>
      event.event === 'output' || event.event === 'result' ? [idOf(event)] : [],
    )
    expect(order.toSorted()).toEqual(order)
    expect(textOf(events, 'a', 'stdout')).toBe(
      Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join(''),
    )
    expect(textOf(events, 'a', 'stderr')).toBe('late\n')
    expect(textOf(events, 'c', 'stdout')).toBe('one\ntwo')
  })

  it('FR-OUT-01: no chunk is dropped and nothing piles up, however much comes and however slow the watcher is', async () => {
    const runtime = await bench().open(agreed)
    const bytes = 64 * 1024 ** 2
    let seen = 0
    let longest = 0
    let most = 0
    const before = memory()
    await runtime.run([command('a', `yes 0123456789abcde | head -c ${bytes}`)], {
      onEvent: (event) => {
        if (event.event !== 'output') return
        seen += event.chunk.length
        longest = Math.max(longest, event.chunk.length)
        most = Math.max(most, memory())
        for (const until = performance.now() + 0.2; performance.now() < until;);
      },
    })
    expect(seen).toBe(bytes)
    expect(longest).toBeLessThan(1024 ** 2)
    expect(most - before).toBeLessThan(bytes)
  })

  it('FR-OUT-01: a call that is cancelled or runs out of time has ended before its result, and says nothing afterwards', async () => {
    const runtime = await bench().open(agreed)
    const noisy = 'trap "" TERM; while :; do echo still here; sleep 0.01; done'
    for (const how of ['cancel', 'timeout'] as const) {
      const stop = new AbortController()
      const events: LiveEvent[] = []
      const timeout = how === 'timeout' ? { timeout: 1 } : {}
      const args = { cmd: ['sh', '-c', noisy], ...timeout }
      const [result] = await runtime.run([{ id: 'a', name: 'run_shell', args }], {
        signal: stop.signal,
        onEvent: (event) => {
          events.push(event)
          if (how === 'cancel' && event.event === 'output') stop.abort()
        },
      })
      expect(errorOf(result)).toMatchObject({
        code: how === 'cancel' ? 'cancelled' : 'timeout',
        state: 'ROLLED_BACK',
      })
      expect(errorOf(result).details['stdout']).toContain('still here')
      await new Promise((done) => setTimeout(done, 150))
      expect(storyOf(events, 'a').at(-1)).toBe('completed')
    }
  })

  it('FR-OUT-01: a tool of this process that talks on after its end is not heard', async () => {
    let speak: (() => void) | null = null
    const chatty = simpleTool('chatty', (_, { emit }) => {
      emit('stdout', 'during')
      speak = () => emit('stdout', 'after')
      return { said: '' }
    })
    const runtime = await bench().open({ tools: [chatty] })
    const events: LiveEvent[] = []
    await runtime.run([{ id: 'a', name: 'chatty', args: {} }], {
      onEvent: (event) => void events.push(event),
    })
    ;(speak as (() => void) | null)?.()
    expect(textOf(events, 'a', 'stdout')).toBe('during')
  })

  it('FR-OUT-03: what is recorded is the one final result, and no chunk of it', async () => {
    const b = bench()
    const runtime = await b.open({ ...agreed, config: { ...agreed.config, 'tools.output.max_bytes': 3000 } })
    const chunks: string[] = []
    const line = 'seq 1 9000; echo 4711-0815-middle; seq 1 9000; echo end'
    const [result] = await runtime.run([command('a', line)], {
      onEvent: (event) => void (event.event === 'output' && chunks.push(event.chunk)),
    })
    expect(chunks.join('')).toContain('4711-0815-middle')
    const entries = [...runtime.log()].map(({ entry }) => entry)
    expect(entries.map(({ kind }) => kind)).toEqual([
      'batch',
      'asked',
      'answered',
      'continued',
      'started',
      'settled',
    ])
    // The question names the command, so the word stands there and nowhere else.
    const others = entries.filter(({ kind }) => kind !== 'asked')
    expect(JSON.stringify(others)).not.toContain('4711-0815-middle')
    const { log } = await runtime.converse('default')
    const settled = entries.find((entry) => entry.kind === 'settled')
    const calls = entries.flatMap((entry) => (entry.kind === 'batch' ? entry.calls : []))
    const kept = settled?.kind === 'settled' ? readStored(settled, calls, log.payload) : null
    expect(kept).toEqual(JSON.parse(JSON.stringify(result)))
    expect(JSON.stringify(kept)).toContain('end')
    expect(JSON.stringify(kept)).not.toContain('4711-0815-middle')
  })

  it('FR-REG-05: all calls of a batch share its sandbox, output limit, room, environment rules and journal', async () => {
    process.env['BATCH_TEST_TOKEN'] = 'shared-secret-value'
    try {
      const b = bench({ 'a.txt': 'a'.repeat(3000), '.env': 'X=1\n' })
      const config = { ...agreed.config, 'tools.output.max_bytes': 2000, 'tools.output.capacity_bytes': 2500 }
      const runtime = await b.open({ ...agreed, config })
      const read = { max_bytes: 3000 }
      const calls = [
        command('1', 'env; echo "${BATCH_TEST_TOKEN:-gone}"; cat .env; :'),
        { id: '2', name: 'read_file', args: { path: 'a.txt', ...read } },
        { id: '3', name: 'read_file', args: { path: 'a.txt', ...read } },
        { id: '4', name: 'read_file', args: { path: '.env' } },
      ]
      const results = await runtime.run(calls)
      const { stdout } = outputOf(results[0]) as { stdout: string }
      expect(stdout).toMatch(/gone\n$/)
      expect(stdout).not.toContain('shared-secret-value')
      const sizes = results.map(({ content }) => Buffer.byteLength(content))
      expect(sizes[1]).toBeLessThanOrEqual(2000)
      expect((sizes[0] ?? 0) + (sizes[1] ?? 0) + (sizes[2] ?? 0)).toBeLessThanOrEqual(2500)
      expect(sizes[2]).toBeLessThan(sizes[1] ?? 0)
      expect(errorOf(results[3]).code).toBe('denied_pattern')
      const entries = [...runtime.log()].map(({ entry }) => entry)
      const batches = new Set(entries.flatMap((entry) => ('batch' in entry ? [entry.batch] : [])))
      expect(batches.size).toBe(1)
      expect(entries.filter(({ kind }) => kind === 'settled')).toHaveLength(4)
    } finally {
      delete process.env['BATCH_TEST_TOKEN']
    }
  })

  it('FR-VAL-07: the path sandbox holds for every tool that takes a path, and not for what a command names', async () => {
    const b = bench({ 'a.txt': 'a\n' })
    const runtime = await b.open({ ...agreed, config: { ...agreed.config, 'tools.shell.sandbox': 'none' } })
    const outside = `${b.top}/beside.txt`
    const tools: readonly (readonly [string, object])[] = [
      ['read_file', { path: outside }],
      ['list_directory', { path: b.top }],
      ['write_file', { path: outside, content: 'x' }],
      ['apply_patch', { patch: `LP1\nF ${JSON.stringify(outside)}\nT\nx\n.\nEND\n` }],
      ['edit_file', { path: outside, old: 'a', new: 'b' }],
      ['edit_region', { path: outside, start_line: 1, end_line: 1, new_content: 'x' }],
      ['delete_path', { path: outside }],
      ['move_path', { from: 'a.txt', to: outside }],
      ['list_files', { directory: b.top }],
    ]
    const results = await runtime.run(tools.map(([name, args]) => ({ id: name, name, args })))
    const codes = results.map((result) => [result.name, result.ok ? 'ok' : result.error.code])
    expect(codes).toEqual(tools.map(([name]) => [name, 'path_outside_sandbox']))
    outputOf(
      (await runtime.run([command('c', `echo made >${shellWord(outside)}; cat ${shellWord(outside)}`)]))[0],
    )
    const { readFileSync } = process.getBuiltinModule('node:fs')
    expect(readFileSync(outside, 'utf8')).toBe('made\n')
  })
})

function idOf(event: LiveEvent): string {
  return event.event === 'result' ? event.result.id : event.id
}

function memory(): number {
  return process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
}
