import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { startModelServer } from '../../model/model-server.ts'
import { makeShop } from '../cli/command-line.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { shellWord } from '../../harness/shell-word.ts'
import { openApp, READY } from './app-pane.ts'
import type { AppPane } from './app-pane.ts'

/** The app with a script, started with further words. */
async function openWith(words: string): Promise<AppPane> {
  const shop = makeShop({ 'a.txt': 'alpha\n' })
  const script = join(shop.stateDir, '..', 'script.json')
  writeFileSync(script, JSON.stringify({ turns: [{ text: 'Hello.' }, { text: 'Again.' }] }))
  return openApp({
    shop,
    words: `--model ${shellWord(`script:${script}`)} ${words}; echo "code $?"`,
    // Room for a message with a long path in one row.
    columns: 400,
  })
}

describe('what the app is opened with', () => {
  it('refuses limits that could not be kept, as run does', async () => {
    const unpriced = await openWith('--max-cost 1')
    await unpriced.until(/needs the price of script:[\s\S]*model\.prices[\s\S]*code 2/)
    const odd = await openWith('--max-seconds -3')
    await odd.until(/--max-seconds "-3" is not a valid number[\s\S]*code 2/)
  })

  it('keeps to its limits in each turn, and says why one stopped', async () => {
    const app = await openWith('--max-seconds 0')
    await app.until(READY)
    await app.send('hello')
    const shown = await app.until(/Stopped: the budget of the turn is used up/)
    expect(shown).not.toContain('Hello.')
  })

  it('goes on with the model and the server of the session it continues, and says so', async () => {
    const chunk = (delta: object, end: string | null = null) =>
      `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`
    const server = await startModelServer({
      pieces: [chunk({ content: 'Yes indeed.' }), chunk({}, 'stop'), 'data: [DONE]\n\n'],
    })
    const shop = makeShop()
    const words = ['run', 'hello', '--model', 'compatible/m', '--base-url', server.url, '--session', 'mine']
    await shop.tongs(words)
    const app = await openApp({ shop, words: '--continue', columns: 140 })
    await app.until(READY)
    await app.until(/Using compatible\/m at http:\/\/127[^ ]+, as before[\s\S]*compatible\/m · mine/)
    await app.send('again')
    await app.until(/again[\s\S]*Yes indeed\./)
    expect(server.seen).toHaveLength(2)
  })

  it('--continue says each notice once, and that there is nothing to continue without opening a screen', async () => {
    const both = ['allow', 'deny'].map((list) => `--set 'tools.approval.${list}list=["glob"]'`).join(' ')
    const app = await openWith(`--continue ${both}`)
    const none = await app.until(/no session to continue in this folder; leave out --continue[\s\S]*code 2/)
    expect(none.match(/glob is in both/g)).toHaveLength(1)
    const ran = await app.shop.tongs(['run', 'hello', '--no-input', '--model', 'script:../script.json'])
    expect(ran.code).toBe(0)
    await app.restart(`--continue ${both}; echo "code $?"`)
    await app.until(/Hello\./)
    await app.send('/quit')
    const left = await app.until(/left session[\s\S]*code 0/)
    expect(left.match(/glob is in both/g)).toHaveLength(1)
  })

  it('what starts commands is there before the first one is typed, and goes with the app', async () => {
    const app = await openApp({ words: '--set tools.shell.sandbox=none' })
    await app.until(READY)
    const [owner = 0] = await app.children()
    const spawner = await vi.waitFor(() => findSpawner(owner), { timeout: PATIENCE_MS, interval: 50 })
    await app.send('run_shell cmd=["true"]')
    await app.answer('o', /✓ run_shell/)
    expect(findSpawner(owner)).toBe(spawner)
    await app.send('/quit')
    await app.until(/left session cli/)
    await vi.waitFor(() => expect(existsSync(`/proc/${spawner}`)).toBe(false), { timeout: PATIENCE_MS })
  })
})

/** The process that starts commands for another one. */
function findSpawner(owner: number): number {
  const children = readFileSync(`/proc/${owner}/task/${owner}/children`, 'utf8').trim().split(' ')
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('spawner'))
  if (found === undefined) throw new Error(`none of ${children.join(', ')}`)
  return Number(found)
}
