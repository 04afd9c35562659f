import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeShop, TONGS } from './command-line.ts'

const LINES = 8000
const shop = makeShop({ 'big.txt': 'a line of some length\n'.repeat(LINES) })
afterAll(shop.remove)

const ARGS = JSON.stringify({ path: 'big.txt', max_bytes: 1_000_000 })
const CALL = `'${TONGS}' call read_file '${ARGS}' --root . --set tools.output.max_bytes=1000000`

function shell(line: string) {
  return spawnSync('/bin/sh', ['-c', line], { cwd: shop.root, env: shop.env, encoding: 'utf8' })
}

it('an answer is whole for a reader that takes its time', () => {
  expect(shell(`${CALL} | (sleep 0.3; wc -l)`)).toMatchObject({ stdout: `${LINES}\n`, stderr: '' })
})

it('a reader that has gone away is no trouble', () => {
  expect(shell(`${CALL} | head -1`)).toMatchObject({ stdout: 'a line of some length\n', stderr: '' })
})

it('an answer that cannot be written is a failure', () => {
  const end = shell(`${CALL} > /dev/full`)
  expect(end.status).toBe(1)
  expect(end.stderr).toContain('cannot write the output')
})

it('a pipe that refuses to wait gets everything all the same', () => {
  const child = `'${process.execPath}' '${join(import.meta.dirname, 'impatient-child.ts')}'`
  const end = shell(`mkfifo p; (sleep 0.3; wc -c) < p & ${child} p 500000; wait`)
  expect(end).toMatchObject({ stdout: '500001\n', stderr: '' })
})
