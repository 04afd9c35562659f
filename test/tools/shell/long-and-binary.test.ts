import { describe, expect, it } from 'vitest'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

const MARKER = '\n\n... [output truncated]'
const LIMIT = 102_400
const options: Partial<RuntimeOptions> = {
  approve: (requests) => requests.map(() => 'once' as const),
  config: { 'tools.run_command.enabled': true, 'tools.output.max_bytes': LIMIT },
}

/** What a command line leaves, by run_command. */
async function ran(command: string, more: RuntimeOptions['config'] = {}) {
  const config = { ...(options.config as object), ...(more as object) }
  const runtime = await bench().open({ ...options, config })
  const [result] = await runtime.run([{ id: 'c', name: 'run_command', args: { command } }])
  if (result === undefined) throw new Error('no result')
  return { result, runtime }
}

describe('long output of run_command', () => {
  it('FR-OUT-04a: is shown up to the limit, with one marker at its end that counts', async () => {
    const { result } = await ran("head -c 150000 /dev/zero | tr '\\0' x", { 'tools.output.spill': false })
    expect(result.content).toBe(`${'x'.repeat(LIMIT - MARKER.length)}${MARKER}`)
  })

  it('is shown whole just below the limit', async () => {
    const { result } = await ran(`head -c ${LIMIT} /dev/zero | tr '\\0' x`)
    expect(result.content).toBe('x'.repeat(LIMIT))
    expect(outputOf(result)).not.toHaveProperty('output')
  })

  it.each(['seq 1 30000', 'seq 1 12000; seq 1 12000 >&2', 'seq 1 200000; echo late >&2'])(
    'has one marker, and says where all of it can be read: %s',
    async (command) => {
      const { result, runtime } = await ran(command)
      const { output } = outputOf(result) as { output: string }
      expect(result.content.length).toBe(LIMIT)
      expect(result.content.startsWith('1\n2\n3\n')).toBe(true)
      expect(result.content.match(/\.\.\. \[/g)).toHaveLength(1)
      expect(result.content.endsWith(`\n[all of it: ${output}]${MARKER}`)).toBe(true)
      const args = { path: output, start_line: 11_999, end_line: 12_000 }
      const [page] = await runtime.run([{ id: 'r', name: 'read_file', args }])
      expect(outputOf(page)).toMatchObject({ content: '11999\n12000\n' })
    },
  )

  it('a failure still shows the end, where the reason usually is', async () => {
    const { result } = await ran('seq 1 100000; exit 3')
    const { message, details } = errorOf(result)
    expect(message).toMatch(/^exit code 3\n/)
    expect(message).toMatch(/99999\n100000\n$/)
    expect(String(details['stdout'])).toMatch(/^1\n2\n/)
    expect(String(details['stdout']).length).toBeLessThan(LIMIT / 1.5)
  })
})

describe('binary output of a command', () => {
  const bytes = Buffer.from([0xff, 0xd8, 0xff, 0x00, 0x10, 0x80, 0xc0, 0x01])
  const printing = String.raw`printf '\377\330\377\000\020\200\300\001'`

  it('FR-EXE-06: is base64, and text beside it stays text', async () => {
    const { result } = await ran(`${printing}; echo fine >&2`)
    expect(outputOf(result)).toMatchObject({
      stdout: `[binary:base64]\n${bytes.toString('base64')}`,
      stderr: 'fine\n',
    })
    const runtime = await bench().open(options)
    const args = { cmd: ['sh', '-c', `${printing} >&2`] }
    const [shell] = await runtime.run([{ id: 'c', name: 'run_shell', args }])
    expect(outputOf(shell)).toMatchObject({
      stdout: '',
      stderr: `[binary:base64]\n${bytes.toString('base64')}`,
    })
  })

  it('is cut to whole bytes that can be decoded, and says so', async () => {
    const runtime = await bench().open(options)
    const args = { cmd: ['head', '-c', '300000', '/dev/zero'] }
    const [shell] = await runtime.run([{ id: 'c', name: 'run_shell', args }])
    const { stdout } = outputOf(shell) as { stdout: string }
    const [, base64 = ''] = /^\[binary:base64\]\[truncated\]\n([A-Za-z0-9+/]+=*)$/.exec(stdout) ?? []
    const decoded = Buffer.from(base64, 'base64')
    expect(decoded.length).toBeGreaterThan(16_000)
    expect(decoded.every((byte) => byte === 0)).toBe(true)
  })

  it('is not shown if a secret is in it, which base64 would carry past redaction', async () => {
    const token = `ghp_${'a1B2c3D4'.repeat(5).slice(0, 36)}`
    const { result } = await ran(`printf '\\000\\001 ${token} '`)
    const { stdout } = outputOf(result) as { stdout: string }
    expect(stdout).toMatch(/^\[binary: 44 bytes, not shown: .*secret.*\]$/)
  })

  it.each([
    [String.raw`printf 'caf\303\251 \342\202\254\n'`, 'café €\n'],
    [String.raw`printf 'a long line of Latin text, caf\351\n'`, 'a long line of Latin text, caf\uFFFD\n'],
  ])('text with a stray byte stays text: %s', async (command, stdout) => {
    expect(outputOf((await ran(command)).result)).toMatchObject({ stdout })
  })
})
