import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

const SECRET = 'LATE-SECRET'

interface Reach {
  readonly config: Readonly<Record<string, unknown>>
  readonly args?: Readonly<Record<string, unknown>>
}

/** Runs a command that reads `.env` in a folder again and again until that shows something, or a person is done. */
async function readBeside(b: Bench, folder: string, reach: Reach, act: () => void) {
  const runtime = await b.open({ config: reach.config, approve: (asked) => asked.map(() => 'once' as const) })
  const ready = join(b.root, 'live', 'ready')
  const line = `touch live/ready; until [ -e live/go ]; do sleep 0.01; done; cat '${folder}/.env' '${folder}/plain'; true`
  const args = { cmd: ['sh', '-c', line], ...reach.args }
  const running = runtime.run([{ id: 'c', name: 'run_shell', args }])
  for (const giveUpAt = Date.now() + PATIENCE_MS; !existsSync(ready); await pause(5))
    if (Date.now() > giveUpAt) throw new Error('the command never began')
  act()
  writeFileSync(join(b.root, 'live', 'go'), '')
  const [result] = await running
  await runtime.close()
  return result
}

/** An editor saves a file: beside it, and then over it. */
function save(path: string): void {
  writeFileSync(`${path}.draft`, SECRET)
  renameSync(`${path}.draft`, path)
}

const LIVE = { 'tools.shell.passthrough': ['live'] }

describe('a denied file beyond the layer', () => {
  it.each([
    [
      'that is configured',
      (outside: string): Reach => ({ config: { ...LIVE, 'tools.shell.read': [outside] } }),
    ],
    ['that the call was granted', (outside: string): Reach => ({ config: LIVE, args: { read: [outside] } })],
  ])('in a folder %s: nothing is kept if it is replaced, or comes', async (_which, reachOf) => {
    for (const isThere of [true, false]) {
      const b = bench({ 'live/here': '' })
      const outside = join(b.root, '..', 'outside')
      mkdirSync(outside)
      writeFileSync(join(outside, 'plain'), 'plain')
      if (isThere) writeFileSync(join(outside, '.env'), 'old')
      const result = await readBeside(b, outside, reachOf(outside), () => save(join(outside, '.env')))
      expect(JSON.stringify(result)).not.toContain(SECRET)
      expect(result?.content).toContain('.env was renamed or created by another process')
    }
  })

  it.each([
    ['which commands write directly', { config: LIVE }, 'live'],
    ['without a layer', { config: { 'tools.shell.layer': 'off' } }, '.'],
  ])('%s: nothing is kept if it is replaced', async (_where, reach, folder) => {
    const b = bench({
      'live/here': '',
      'live/.env': 'old',
      '.env': 'old',
      plain: 'plain',
      'live/plain': 'plain',
    })
    const result = await readBeside(b, join(b.root, folder), reach, () => save(join(b.root, folder, '.env')))
    expect(JSON.stringify(result)).not.toContain(SECRET)
    expect(result?.content).toContain('.env was renamed or created by another process')
  })

  it.each([
    ['a folder which commands write directly', { config: LIVE }],
    ['a root without a layer', { config: { 'tools.shell.layer': 'off' } }],
  ])('in %s: nothing is kept if it is gone, as what was in it may be read later', async (_where, reach) => {
    const b = bench({ 'live/here': '', 'live/.config/gcloud/cred': 'old', 'live/.env': 'old' })
    const folder = join(b.root, 'live')
    const move = (): void => renameSync(join(folder, '.config'), join(folder, 'c'))
    const result = await readBeside(b, folder, reach, move)
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining('gcloud') } })
  })

  it('without a sandbox a command may remove it', async () => {
    const b = bench({ '.env': 'old' })
    const config = { 'tools.shell.sandbox': 'none' }
    const runtime = await b.open({ config, approve: (asked) => asked.map(() => 'once' as const) })
    const [result] = await runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['rm', '.env'] } }])
    await runtime.close()
    expect(result?.ok).toBe(true)
  })

  it('other files that are replaced there do no harm', async () => {
    const b = bench({ 'live/here': '' })
    const outside = join(b.root, '..', 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, '.env'), 'old')
    const reach = { config: { ...LIVE, 'tools.shell.read': [outside] } }
    const result = await readBeside(b, outside, reach, () => save(join(outside, 'plain')))
    expect(result?.ok).toBe(true)
    expect(result?.content).toContain(SECRET)
  })
})
