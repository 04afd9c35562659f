import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bench } from '../bench-folder.ts'
import { say } from '../harness/say.ts'

const TIMEOUT_MS = 2 * 3_600_000
const MEBIBYTE = 1024 ** 2
const approve = (asked: readonly unknown[]): 'once'[] => asked.map(() => 'once' as const)
const shell = (line: string) => [{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }]

it(
  'one byte of a file of 2 GiB changes, and that is undone and redone in little memory',
  { timeout: TIMEOUT_MS },
  async () => {
    const b = bench({ small: 'x' })
    const large = join(b.root, 'large')
    const size = 2 * 1024 ** 3
    const middle = 1024 ** 3 + 12_345
    fs.writeFileSync(large, 'begin')
    fs.truncateSync(large, size)
    const byteAt = (at: number): number => {
      const file = fs.openSync(large, 'r')
      const bytes = Buffer.alloc(1)
      fs.readSync(file, bytes, 0, 1, at)
      fs.closeSync(file)
      return bytes[0] ?? -1
    }
    const look = () => [fs.statSync(large).size, byteAt(0), byteAt(middle), byteAt(size - 1)]
    const before = look()
    const startedRss = process.resourceUsage().maxRSS * 1024
    const runtime = await b.open({ approve })
    const [result] = await runtime.run(
      shell(`printf '\\001' | dd of=large bs=1 seek=${middle} conv=notrunc 2>/dev/null`),
    )
    expect(result?.content).not.toContain('error')
    expect(look()).toEqual([size, before[1], 1, 0])
    expect((await runtime.undo()).message).toBe(null)
    expect(look()).toEqual(before)
    expect((await runtime.redo()).message).toBe(null)
    expect(look()).toEqual([size, before[1], 1, 0])
    await runtime.close()
    const grown = process.resourceUsage().maxRSS * 1024 - startedRss
    say(`grown by ${Math.round(grown / MEBIBYTE)} MiB, on disk ${fs.statSync(large).blocks * 512} bytes`)
    expect(grown).toBeLessThan(400 * MEBIBYTE)
  },
)

it(
  '100,000 files are deleted at once, are all there again after an undo, and gone after a redo',
  { timeout: TIMEOUT_MS },
  async () => {
    const b = bench({ kept: 'kept' })
    execFileSync(
      'sh',
      [
        '-ec',
        'for d in $(seq 100); do mkdir -p many/$d; seq 1000 | (cd many/$d && xargs touch); done; echo x > many/7/8',
      ],
      { cwd: b.root },
    )
    const list = (): string =>
      execFileSync(
        'sh',
        ['-c', 'find . -printf "%y %m %s %p\\n" | LC_ALL=C sort | sha256sum; find . -type f | wc -l'],
        {
          cwd: b.root,
          encoding: 'utf8',
        },
      )
    const before = list()
    const runtime = await b.open({ approve })
    const started = Date.now()
    const [result] = await runtime.run(shell('rm -rf many'))
    const deleted = Date.now()
    expect(result?.ok).toBe(true)
    expect(fs.readdirSync(b.root)).toEqual(['kept'])
    expect((await runtime.undo()).message).toBe(null)
    const undone = Date.now()
    expect(list()).toBe(before)
    const looked = Date.now()
    expect((await runtime.redo()).message).toBe(null)
    const redone = Date.now()
    expect(fs.readdirSync(b.root)).toEqual(['kept'])
    expect((await runtime.undo()).message).toBe(null)
    expect(list()).toBe(before)
    await runtime.close()
    say(
      `deleted in ${deleted - started} ms, undone in ${undone - deleted} ms, redone in ${redone - looked} ms`,
    )
  },
)
