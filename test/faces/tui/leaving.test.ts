import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { makeShop } from '../cli/command-line.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { shellWord } from '../../harness/shell-word.ts'
import { openApp, READY } from './app-pane.ts'

const COUNT = 150
const NAMES = Array.from({ length: COUNT }, (_, index) => `f${index}.txt`)

describe('leaving the app', () => {
  it('Ctrl-C twice right after a yes tears no commit: all files are new, or all are old', async () => {
    const shop = makeShop(Object.fromEntries(NAMES.map((name) => [name, 'old\n'])))
    const reads = NAMES.map((path) => ({ id: path, name: 'read_file', args: { path } }))
    const patch = `LP1\n${NAMES.map((name) => `F ${name}\nR\nold\n.\nnew\n.\n`).join('')}END\n`
    const script = join(shop.stateDir, '..', 'script.json')
    const calls = [...reads, { id: 'p', name: 'apply_patch', args: { patch } }]
    writeFileSync(script, JSON.stringify({ turns: [{ text: 'All of them.', calls }, { text: 'Done.' }] }))
    const app = await openApp({
      shop,
      words: `--model ${shellWord(`script:${script}`)} --set tools.max_tool_calls_per_batch=1000 --set journal.durability=normal`,
    })
    await app.until(READY)
    await app.send('go')
    await app.until(/Esc cancel$/m)
    await app.press('o')
    await new Promise((resolve) => setTimeout(resolve, 260))
    await app.press('C-c', 'C-c')
    await app.until(/left session cli/)
    const found = new Set(NAMES.map((name) => shop.get(name)))
    expect([...found]).toHaveLength(1)
    expect(await shop.tongs(['audit', 'verify'])).toMatchObject({ code: 0 })
    expect((await shop.tongs(['recover', '--json'])).out).toContain('"batches":[]')
  })

  it('Ctrl-Z gives the terminal to the shell and fg brings the app back', async () => {
    const app = await openApp({ files: { 'a.txt': 'a\n' } })
    await app.until(READY)
    await app.press('C-z')
    await app.until(/Stopped/)
    await app.send('echo the shell is $((40 + 2))')
    await app.until(/the shell is 42/)
    await app.send('fg')
    await app.until(READY)
    await app.send('read_file path=a.txt')
    await app.until(/✓ read_file a\.txt/)
  })

  it('a request to end leaves a question waiting, gives the terminal back, and the next start mentions it', async () => {
    const app = await openApp()
    await app.until(READY)
    await app.send('write_file path=a.txt content=a')
    await app.until(/Esc cancel$/m)
    const [owner = 0] = await app.children()
    process.kill(owner, 'SIGTERM')
    await app.until(/left session cli/)
    expect(await app.shop.pendingIds()).toHaveLength(1)
    await app.restart()
    await app.until(/Calls waiting for approval: 1/)
  })

  it('F-UI-LOG, F-CONV: a click on a call opens its JSON, and its file can be opened at the line', async () => {
    const shop = makeShop({ 'notes.txt': 'one\ntwo\nthree\n' })
    const editor = join(shop.stateDir, '..', 'my editors', 'vi')
    mkdirSync(dirname(editor))
    const opened = join(shop.stateDir, '..', 'opened.txt')
    writeFileSync(editor, `#!/bin/sh\necho "$@" > '${opened}'\n`)
    chmodSync(editor, 0o755)
    const words = '--set ui.screen=full'
    const app = await openApp({ shop, words, env: { EDITOR: shellWord(editor), VISUAL: '' } })
    await app.until(READY)
    await app.send('read_file path=notes.txt start_line=2 end_line=2')
    const shown = await app.until(/✓ read_file notes\.txt \[2-2\]/)
    const row = shown.split('\n').findIndex((line) => line.startsWith(' ✓ read_file')) + 1
    await app.type(`\u001b[<0;10;${row}M\u001b[<0;10;${row}m`)
    await app.until(/"start_line": 2/)
    await app.press('C-o')
    await app.until(/Ctrl-O open notes\.txt:2/)
    await vi.waitUntil(() => existsSync(opened) && readFileSync(opened, 'utf8') !== '', {
      timeout: PATIENCE_MS,
    })
    expect(readFileSync(opened, 'utf8')).toBe(`+2 ${join(shop.root, 'notes.txt')}\n`)
  })
})
