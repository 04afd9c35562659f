import { copyFileSync, existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }
const enabled: Partial<RuntimeOptions> = { ...agreed, config: { 'tools.run_command.enabled': true } }
const seq = (to: number) => ({ id: 's', name: 'run_shell', args: { cmd: ['seq', '1', String(to)] } })
const read = (path: unknown, more: object = {}) => ({ id: 'r', name: 'read_file', args: { path, ...more } })

describe('output that is too long to be shown', () => {
  it('F-TOOL-run_shell: can be paged through with read_file, by the name that the result gives', async () => {
    const runtime = await bench().open(agreed)
    const [shell] = await runtime.run([seq(30_000)], { session: 's' })
    const { output, stdout } = outputOf(shell) as { output: string; stdout: string }
    expect(output).toBe(`tongs:output/${shell?.execution.id}`)
    expect(stdout).toMatch(new RegExp(`\\n\\.\\.\\. \\[\\d+ bytes left out; ${output}\\] \\.\\.\\.\\n`))
    const [page] = await runtime.run([read(output, { start_line: 14_999, end_line: 15_001 })], {
      session: 's',
    })
    expect(outputOf(page)).toMatchObject({
      content: '14999\n15000\n15001\n',
      total_lines: 30_000,
      path: output,
    })
  })

  it('can be paged through to its end, however far that is from the beginning', async () => {
    const config = { 'tools.output.spill_max_bytes': 16 * 1024 ** 2 }
    const runtime = await bench().open({ ...agreed, config })
    const [shell] = await runtime.run([seq(1_400_000)])
    const { output } = outputOf(shell) as { output: string }
    const page = async (range: object) => (await runtime.run([read(output, range)]))[0]
    expect(outputOf(await page({ start_line: 1_300_000, end_line: 1_300_002 }))).toMatchObject({
      content: '1300000\n1300001\n1300002\n',
      range: { start_line: 1_300_000, end_line: 1_300_002 },
      truncated: false,
      total_lines: null,
    })
    expect(outputOf(await page({ start_line: 1_399_999 }))).toMatchObject({
      content: '1399999\n1400000\n',
      truncated: false,
    })
    expect(outputOf(await page({ start_line: 1 }))).toMatchObject({
      content: expect.stringMatching(/^1\n2\n/),
      truncated: true,
    })
    expect(errorOf(await page({ start_line: 1_400_001 }))).toMatchObject({
      code: 'bad_args',
      details: { last_line: 1_400_000 },
    })
  })

  it('is of its own session only, and no name leads elsewhere', async () => {
    const runtime = await bench().open(agreed)
    const [shell] = await runtime.run([seq(30_000)], { session: 's' })
    const { output } = outputOf(shell) as { output: string }
    const [other] = await runtime.run([read(output)], { session: 'other' })
    expect(errorOf(other)).toMatchObject({ code: 'execution_failed' })
    for (const path of [
      'tongs:output/..',
      'tongs:output/../x',
      'tongs:output/',
      'tongs:output/a/b',
      'tongs:outputs/x',
    ])
      expect(errorOf((await runtime.run([read(path)], { session: 's' }))[0]).code).toBe('execution_failed')
  })

  it('is refused if another program has rewritten it, also with a seal of another output, or has put it there', async () => {
    const b = bench()
    const runtime = await b.open(agreed)
    const [one, two] = await runtime.run([seq(30_000), { ...seq(30_001), id: 't' }])
    const [first, second] = [String(outputOf(one)['output']), String(outputOf(two)['output'])]
    const folder = join(b.stateDir, 'outputs', readdirSync(join(b.stateDir, 'outputs'))[0] ?? '')
    const at = (path: string): string => join(folder, path.slice('tongs:output/'.length))
    const page = async (path: string) => (await runtime.run([read(path, { end_line: 1 })]))[0]
    writeFileSync(at(first), 'do as I say\n')
    expect(errorOf(await page(first))).toMatchObject({
      code: 'execution_failed',
      message: `${first} is not what was stored: its digest is not the one on record, so another program has rewritten the file.`,
    })
    copyFileSync(at(second), at(first))
    expect(errorOf(await page(first)).message).toContain('is not what was stored')
    writeFileSync(at(`tongs:output/${'0'.repeat(26)}`), 'do as I say\n')
    expect(errorOf(await page(`tongs:output/${'0'.repeat(26)}`)).message).toContain('is not what was stored')
    expect((await page(second))?.ok).toBe(true)
  })

  it('the limits on reading hold for it', async () => {
    const config = { 'tools.read_file.max_file_read_bytes': 1000, 'tools.read_file.over_limit': 'refuse' }
    const runtime = await bench().open({ ...agreed, config })
    const [shell] = await runtime.run([seq(30_000)])
    const { output } = outputOf(shell) as { output: string }
    expect(errorOf((await runtime.run([read(output)]))[0]).code).toBe('limit_exceeded')
    const [range] = await runtime.run([read(output, { start_line: 5, end_line: 6 })])
    expect(outputOf(range)).toMatchObject({ content: '5\n6\n' })
  })

  it('F-SAFE-REDACT: holds no secret, neither one of a known shape nor one that was kept from the command', async () => {
    process.env['SPILL_TEST_TOKEN'] = 'kept-away-from-it'
    try {
      const b = bench({ 'a.txt': 'kept-away-from-it\n' })
      const runtime = await b.open(agreed)
      const line = 'cat a.txt; seq 1 30000; cat a.txt; echo PASSWORD=hunter2222; seq 1 30000'
      const [shell] = await runtime.run([{ id: '1', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }])
      const { output } = outputOf(shell) as { output: string }
      const [page] = await runtime.run([read(output, { start_line: 30_000, end_line: 30_004 })])
      expect(outputOf(page)).toMatchObject({ content: '29999\n30000\n[redacted]\nPASSWORD=[redacted]\n1\n' })
    } finally {
      delete process.env['SPILL_TEST_TOKEN']
    }
  })

  it('is kept up to a limit, which the result names, readable by its owner alone', async () => {
    const b = bench()
    const runtime = await b.open({ ...agreed, config: { 'tools.output.spill_max_bytes': 50_000 } })
    const [shell] = await runtime.run([seq(30_000)])
    expect(outputOf(shell)).toMatchObject({ output_note: 'It holds only the first 50000 bytes.' })
    const folder = join(b.stateDir, 'outputs')
    const [session = ''] = readdirSync(folder)
    const file = join(folder, session, shell?.execution.id ?? '')
    expect(statSync(file).size).toBe(50_000)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, session)).mode & 0o777).toBe(0o700)
  })

  it('is not kept where the configuration says so, nor where everything was shown', async () => {
    const b = bench()
    const off = await b.open({ ...agreed, config: { 'tools.output.spill': false } })
    expect(outputOf((await off.run([seq(30_000)]))[0])).not.toHaveProperty('output')
    const on = await b.open(agreed)
    expect(outputOf((await on.run([seq(10)]))[0])).not.toHaveProperty('output')
    expect(existsSync(join(b.stateDir, 'outputs'))).toBe(false)
  })

  it('of a failed run_command and of one that ran out of time is kept as well', async () => {
    const runtime = await bench().open(enabled)
    const [failed] = await runtime.run([
      { id: '1', name: 'run_command', args: { command: 'seq 1 30000; exit 3' } },
    ])
    const { details } = errorOf(failed)
    expect(details).toMatchObject({ exit_code: 3, output: `tongs:output/${failed?.execution.id}` })
    expect(outputOf((await runtime.run([read(details['output'], { end_line: 1 })]))[0])).toMatchObject({
      content: '1\n',
    })
    const slow = { cmd: ['sh', '-c', 'seq 1 30000; sleep 60'], timeout: 1 }
    const [late] = await runtime.run([{ id: '2', name: 'run_shell', args: slow }])
    expect(errorOf(late)).toMatchObject({
      code: 'timeout',
      details: { output: `tongs:output/${late?.execution.id}` },
    })
  })

  it('is erased by forget with the call or the session it belongs to, and with nothing else', async () => {
    const b = bench()
    const runtime = await b.open({ ...agreed, durability: 'normal' })
    const [one] = await runtime.run([seq(30_000)], { session: 'a' })
    const [two] = await runtime.run([seq(30_001)], { session: 'a' })
    const [three] = await runtime.run([seq(30_002)], { session: 'b' })
    const isKept = async (session: string, result: typeof one): Promise<boolean> =>
      (await runtime.run([read(`tongs:output/${result?.execution.id}`, { end_line: 1 })], { session }))[0]
        ?.ok ?? false
    expect(await runtime.forget({ call: one?.execution.id ?? '' })).toMatchObject({ ok: true, files: 1 })
    expect([await isKept('a', one), await isKept('a', two), await isKept('b', three)]).toEqual([
      false,
      true,
      true,
    ])
    expect(await runtime.forget({ session: 'a' })).toMatchObject({ ok: true, files: 1 })
    expect([await isKept('a', two), await isKept('b', three)]).toEqual([false, true])
    expect(await runtime.forget({ olderThanDays: 0 })).toMatchObject({ ok: true, files: 1 })
    expect(await isKept('b', three)).toBe(false)
  })

  it('goes with age like everything else that is kept beside the journal', async () => {
    const b = bench()
    const options = { ...agreed, durability: 'normal' } as const
    const first = await b.open(options)
    const [old] = await first.run([seq(30_000)], { session: 'a' })
    const [young] = await first.run([seq(30_001)], { session: 'a' })
    await first.close()
    const folder = join(b.stateDir, 'outputs')
    const file = (result: typeof old): string =>
      join(folder, readdirSync(folder)[0] ?? '', result?.execution.id ?? '')
    const longAgo = Date.now() / 1000 - 91 * 86_400
    utimesSync(file(old), longAgo, longAgo)
    // The clock has jumped by days, which counts once it is still there hours later.
    for (const hours of [48, 51]) {
      const later = { ...systemClock, now: () => systemClock.now() + hours * 3_600_000 }
      const next = await b.open({ ...options, clock: later })
      await next.run([{ id: 'r', name: 'list_directory', args: { path: '.' } }], { session: 'a' })
      await next.close()
    }
    expect([existsSync(file(old)), existsSync(file(young))]).toEqual([false, true])
  })

  it('that weighs more as JSON than the answer may is cut, and the command still has its result', async () => {
    const runtime = await bench().open({ ...agreed, config: { 'tools.output.max_bytes': 20_000 } })
    const args = { cmd: ['perl', '-e', 'print "\\x01" x 9000'] }
    const [result] = await runtime.run([{ id: '1', name: 'run_shell', args }])
    expect(Buffer.byteLength(result?.content ?? '')).toBeLessThanOrEqual(20_000)
    expect(outputOf(result)).toMatchObject({
      exit_code: 0,
      stdout: expect.stringContaining('left out') as string,
    })
  })
})
