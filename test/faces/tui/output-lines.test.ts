import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeShop } from '../cli/command-line.ts'
import { LISTENING, openApp, READY } from './app-pane.ts'

/** Prints numbered lines and then goes on running. */
const PRINTS = 'i=0; while [ $i -lt 130 ]; do i=$((i+1)); echo line $i of it; done; sleep 60'

describe('the output of a running command, in a real terminal', { timeout: 60_000 }, () => {
  it('FR-TUI-03: unless a setting says otherwise, its last 50 lines can be scrolled through, and the rest is counted', async () => {
    const shop = makeShop({})
    const script = join(shop.stateDir, '..', 'script.json')
    const call = { id: 'c1', name: 'run_shell', args: { cmd: ['sh', '-c', PRINTS] } }
    writeFileSync(script, JSON.stringify({ turns: [{ calls: [call] }] }))
    const words = `--model script:${script} --set tools.shell.sandbox=none`
    const app = await openApp({ shop, words, rows: 45 })
    await app.until(READY)
    await app.send('go')
    await app.until(LISTENING)
    await app.answer('o', /line 130 of it/)
    await app.until(/80 lines before these/)
    await app.press(...Array<string>(60).fill('S-Up'))
    expect(await app.until(/│ line 81 of it/)).toContain('scrolled up')
    await app.press('S-Up', 'S-Up')
    expect(await app.screen()).toMatch(/these · scrolled up\n *│ line 81 of it/)
    await app.kill()
  })
})
