import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { openApp, READY } from './app-pane.ts'

const WAITING = /is in use by process (\d+) \([^)]+\)[\s\S]*waiting up to \d+ s; Ctrl-C stops/
/** Room for the owner's command line in one row, however long the path it was started by. */
const WIDE = 400

describe('a session that another process has', () => {
  it('a second app says at once who has it, waits visibly, and names the owner and the way out in the end', async () => {
    const first = await openApp()
    await first.until(READY)
    const [owner] = await first.children()
    const second = await openApp({
      shop: first.shop,
      words: '--set tools.session_wait_seconds=3',
      columns: WIDE,
    })
    const told = await second.until(WAITING)
    expect(WAITING.exec(told)?.[1]).toBe(String(owner))
    await second.until(/waiting up to [12] s/)
    await second.until(/in use by process \d+[\s\S]*open another session with --session NAME\.\s+[#$]/)
    await second.restart('--session other')
    await second.until(READY)
  })

  it('Ctrl-C ends the waiting of an app and of a command, and nothing was done', async () => {
    const first = await openApp()
    await first.until(READY)
    const second = await openApp({
      shop: first.shop,
      words: '--set tools.session_wait_seconds=600; echo "code $?"',
      columns: WIDE,
    })
    await second.until(WAITING)
    await second.press('C-c')
    await second.until(/Nothing was done[\s\S]*--session NAME[\s\S]*code 130/)
    await second.restart(
      'call glob \'{"patterns":["*"]}\' --set tools.session_wait_seconds=600; echo "code $?"',
    )
    await second.until(WAITING)
    await second.press('C-c')
    await second.until(/Nothing was done[\s\S]*code 130/)
  })

  it('an app that wants to change to it says so on its screen, keeps its own session, and can be told to stop', async () => {
    const first = await openApp()
    await first.until(READY)
    const second = await openApp({
      shop: first.shop,
      words: '--session mine --set tools.session_wait_seconds=600',
      columns: 140,
    })
    await second.until(READY)
    await second.send('/session cli')
    await second.until(/in use by process \d+[\s\S]*waiting up to \d+ s for session cli; Esc stops/)
    await second.type('half a line')
    await second.press('Escape')
    await second.until(/Nothing was done[\s\S]*\/session\s+NAME opens another[\s\S]*half a line/)
    await second.press('C-u')
    await second.send('glob patterns=["*"]')
    await second.until(/✓ glob/)
    await first.send('/quit')
    await first.until(/left session cli/)
    await second.send('/session cli')
    await second.until(/· cli\s*$/m)
  })

  it('an app that waits for it can be left at once', async () => {
    const first = await openApp()
    await first.until(READY)
    const second = await openApp({
      shop: first.shop,
      words: '--session mine --set tools.session_wait_seconds=600; echo "code $?"',
    })
    await second.until(READY)
    await second.send('/session cli')
    await second.until(/in use by process/)
    await second.press('C-d')
    await second.until(/left session mine[\s\S]*code 0/)
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
