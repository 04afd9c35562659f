import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { makeShop, shopHere } from './command-line.ts'

const start = promisify(execFile)
const resultOf = (row: ToolResult | undefined) => (row?.ok === true ? row.result : null)

/** Serves one package, as registries do, to whoever has the token. */
async function serveRegistry(folder: string, token: string): Promise<string> {
  mkdirSync(folder)
  const about = { name: 'answer', version: '1.0.0', main: 'main.js' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(about))
  writeFileSync(join(folder, 'main.js'), 'module.exports = 42\n')
  await start('npm', ['pack', '--silent'], { cwd: folder })
  const packed = readFileSync(join(folder, 'answer-1.0.0.tgz'))
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end()
    response.setHeader('cache-control', 'public, max-age=300')
    if (request.url?.endsWith('.tgz') === true) return response.end(packed)
    const dist = { tarball: `${address()}answer/-/answer-1.0.0.tgz`, integrity }
    const versions = { '1.0.0': { ...about, dist } }
    return response.end(JSON.stringify({ name: 'answer', 'dist-tags': { latest: '1.0.0' }, versions }))
  })
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return address()
}

it('npm installs offline from the cache of a registry that only a hidden file names, and the token stays hidden', async () => {
  const made = makeShop({
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', dependencies: { answer: '1.0.0' } }),
  })
  onTestFinished(made.remove)
  const s = shopHere(made)
  const home = dirname(s.root)
  const token = 'q7Zk3XbW9fTt2LmC'
  const address = await serveRegistry(join(home, 'package'), token)
  const host = address.slice('http:'.length)
  writeFileSync(join(home, '.npmrc'), `registry=${address}\n${host}:_authToken=${token}\n`)
  const cache = join(home, '.npm')
  // As in a shell of its own: npm hands its settings to what it runs, and these are those of the tests.
  const usual = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
  const env = { ...usual, HOME: home, npm_config_cache: cache, npm_config_userconfig: join(home, '.npmrc') }
  await start('npm', ['install', '--no-audit', '--no-fund'], { cwd: s.root, env })
  rmSync(join(s.root, 'node_modules'), { recursive: true })
  // Without the address of the registry, npm would look for the downloads of its own.
  const lock = s.get('package-lock.json') ?? ''
  s.put('package-lock.json', lock.replaceAll(address, 'https://registry.npmjs.org/'))

  const stub = (): void => {
    vi.stubEnv('HOME', home)
    vi.stubEnv('npm_config_cache', cache)
    vi.stubEnv('npm_config_registry', undefined)
    vi.stubEnv('npm_config_userconfig', undefined)
  }
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const line =
    'npm ci --offline >out 2>&1 || cat out; rm out; env | grep -c "$1"; cat ~/.npmrc 2>/dev/null; true'
  const call = [{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line, 'sh', token] } }]
  stub()
  const { rows } = await s.batch(call, '--yes')
  expect(resultOf(rows[0])).toMatchObject({ stdout: '0\n', exit_code: 0 })
  expect(s.get('node_modules/answer/main.js')).toBe('module.exports = 42\n')
  stub()
  const { out } = await s.tongs(['doctor', '--json'])
  expect((JSON.parse(out) as Record<string, unknown>)['package_caches']).toEqual([
    `npm: ${join(cache, '_cacache')} (read-only, of ${address})`,
  ])
})
