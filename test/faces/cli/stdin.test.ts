import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { TOP } from '../../../scripts/run-tool.ts'
import { makeShop, TONGS } from './command-line.ts'

/** Writes a batch in two pieces, and late. */
async function expectPatience(child: ChildProcessWithoutNullStreams): Promise<void> {
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  const code = new Promise((resolve) => child.on('close', resolve))
  await pause(1500)
  child.stdin.write('[{"id":"1","name":"read_file",')
  await pause(200)
  child.stdin.end('"args":{"path":"a.txt"}}]')
  expect(await code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ id: '1', ok: true })
}

it('whoever writes to stdin may take their time', async () => {
  const shop = makeShop({ 'a.txt': 'a\n' })
  onTestFinished(shop.remove)
  // Long enough for the program to be there first.
  const child = spawn(TONGS, ['batch', '-', '--json', '--root', '.'], {
    cwd: shop.root,
    env: shop.env,
    stdio: 'pipe',
  })
  await expectPatience(child)
})

it('whoever writes may take their time also where stdin was made not to wait', async () => {
  const shop = makeShop({ 'a.txt': 'a\n' })
  onTestFinished(shop.remove)
  // To look at process.stdin is enough: the pipe does not wait from then on, nor for the heir that is just starting.
  const heir = `process.getBuiltinModule('node:child_process')
    .spawn(${JSON.stringify(TONGS)}, ['batch', '-', '--json', '--root', '.'], { stdio: 'inherit' })
    .on('close', (code) => process.exit(code))
    process.stdin`
  const child = spawn(process.execPath, ['-e', heir], { cwd: shop.root, env: shop.env, stdio: 'pipe' })
  await expectPatience(child)
})

it('a program in a pipe that is slow to start is waited for', async () => {
  const shop = makeShop({ 'a.txt': 'a\n' })
  onTestFinished(shop.remove)
  const call = '{"path":"a.txt"}'
  const line = `(sleep 1.5; echo '${call}') | "$0" call read_file - --json --root .`
  const child = spawn('sh', ['-c', line, TONGS], { cwd: shop.root, env: shop.env })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ ok: true, content: 'a\n' })
})

it('a batch of more calls than any may have is a usage error, and nothing of it is on record', async () => {
  const shop = makeShop()
  onTestFinished(shop.remove)
  const calls = Array.from({ length: 10_001 }, (_, index) => ({
    id: `${index}`,
    name: 'read_file',
    args: {},
  }))
  const { code, err, out } = await shop.batch(calls)
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('the batch has 10001 calls, and at most 10000 are allowed')
  expect((await shop.tongs(['log'])).out).toBe('')
})

it('a file without an end is read up to the limit, and refused', async () => {
  const shop = makeShop()
  onTestFinished(shop.remove)
  const { code, err } = await shop.tongs(['batch', '/dev/zero'])
  expect(code).toBe(2)
  expect(err).toContain('/dev/zero has more than 67108864 bytes')
})

it('SIGUSR1 opens no debugger, and the command goes on', async () => {
  const shop = makeShop({ 'a.txt': 'a\n' })
  onTestFinished(shop.remove)
  for (const program of [[TONGS], [process.execPath, join(TOP, 'bin', 'tongs.cjs')]]) {
    const pipe = join(shop.root, `calls-${program.length}`)
    execFileSync('mkfifo', [pipe])
    const [first = '', ...words] = program
    const child = spawn(first, [...words, 'batch', pipe, '--json', '--root', '.'], {
      cwd: shop.root,
      env: shop.env,
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
    const code = new Promise((resolve) => child.on('close', resolve))
    // A pipe can be opened for writing once the command reads it.
    const writer = await open(pipe, 'w')
    child.kill('SIGUSR1')
    await writer.writeFile('[{"id":"1","name":"read_file","args":{"path":"a.txt"}}]')
    await writer.close()
    expect([await code, out]).toEqual([0, expect.not.stringContaining('Debugger')])
  }
})
