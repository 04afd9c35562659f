import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { openApp, READY } from './app-pane.ts'

const WAITING = /is in use by process (\d+) \([^)]+\)[\s\S]*waiting up to \d+ s; Ctrl-C stops/
/** Room for the owner's command line in one row, however long the path it was started by. */
const WIDE = 400

describe('a session that another process has', () => {
  it('a second app says at once who has it and the way out, and does not wait', async () => {
    const first = await openApp()
    await first.until(READY)
    const [owner] = await first.children()
    const second = await openApp({
      shop: first.shop,
      words: '--set tools.session_wait_seconds=600; echo "code $?"',
      columns: WIDE,
    })
    const told = await second.until(/open another session with --session NAME\.[\s\S]*code 1/)
    expect(/in use by process (\d+)/.exec(told)?.[1]).toBe(String(owner))
    expect(told).not.toContain('waiting')
    await second.restart('--session other')
    await second.until(READY)
  })

  it('Ctrl-C ends the waiting of a command, and nothing was done', async () => {
    const first = await openApp()
    await first.until(READY)
    const second = await openApp({
      shop: first.shop,
      columns: WIDE,
      words: 'call glob \'{"patterns":["*"]}\' --set tools.session_wait_seconds=600; echo "code $?"',
    })
    await second.until(WAITING)
    await second.press('C-c')
    await second.until(/Nothing was done[\s\S]*code 130/)
  })

  it('an app that wants to change to it says so at once on its screen, and keeps its own session', async () => {
    const first = await openApp()
    await first.until(READY)
    const second = await openApp({
      shop: first.shop,
      words: '--session mine --set tools.session_wait_seconds=600',
      columns: 140,
    })
    await second.until(READY)
    await second.send('/session cli')
    await second.until(/in use by process \d+[\s\S]*\/session\s+NAME\s+opens another/)
    await second.send('glob patterns=["*"]')
    await second.until(/✓ glob/)
    await first.send('/quit')
    await first.until(/left session cli/)
    await second.send('/session cli')
    await second.until(/· cli\s*$/m)
  })

  it('a command in a pipe is told once, and goes on as soon as the session is free', async () => {
    const app = await openApp({ files: { 'a.txt': 'alpha\n' } })
    await app.until(READY)
    const at = (name: string): string => join(app.shop.stateDir, '..', name)
    const call = `call read_file '{"path":"a.txt"}' --json --set tools.session_wait_seconds=600`
    const words = `${call} > '${at('out.txt')}' 2> '${at('err.txt')}'; echo "code $?"`
    const second = await openApp({ shop: app.shop, words })
    const told = (): string => readFileSync(at('err.txt'), 'utf8')
    await vi.waitFor(() => expect(told()).toContain('waiting up to'), { timeout: PATIENCE_MS, interval: 50 })
    await app.send('/quit')
    await second.until(/code 0/)
    expect(JSON.parse(readFileSync(at('out.txt'), 'utf8'))).toMatchObject({ ok: true })
    expect(told().match(/waiting up to/g)).toHaveLength(1)
    expect(told()).not.toContain('\u001b')
  })
})
