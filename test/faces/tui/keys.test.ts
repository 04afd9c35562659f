import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shellWord } from '../../harness/shell-word.ts'
import { makeShop } from '../cli/command-line.ts'
import { openApp, READY } from './app-pane.ts'

const SLOW = `run_shell cmd=["sh","-c","echo began; sleep 60"]`
const UNCONFINED = '--set tools.shell.sandbox=none'

describe('the keys of the app, in a real terminal', () => {
  it('completes commands, tools, arguments and paths; ignored and denied files are not among them', async () => {
    const app = await openApp({
      files: {
        'docs/guide.md': 'g\n',
        'docs/ignored.md': 'i\n',
        'docs/server.pem': 'key\n',
        '.gitignore': 'ignored.md\n',
      },
    })
    await app.until(READY)
    await app.type('/und')
    await app.until(/\/undo/)
    await app.press('Tab')
    await app.until(/^ \/undo$/m)
    await app.press('C-u')
    await app.type('read_f')
    await app.press('Tab')
    await app.until(/^ read_file$/m)
    await app.type('pa')
    await app.press('Tab')
    await app.until(/^ read_file path=$/m)
    await app.type('docs')
    await app.press('Tab')
    await app.until(/^ read_file path=docs\/guide\.md$/m)
    await app.press('Enter')
    await app.until(/✓ read_file docs\/guide\.md/)
    await app.press('Up')
    await app.until(/^ read_file path=docs\/guide\.md$/m)
    // The cursor is behind the line, as in a shell.
    await app.type(' end_line=1')
    await app.until(/^ read_file path=docs\/guide\.md end_line=1$/m)
    await app.press('C-u')
    await app.type('@d')
    const offered = await app.until(/→ docs\/guide\.md/)
    expect(offered).not.toMatch(/ignored\.md|server\.pem/)
    await app.press('Tab')
    await app.type('now')
    await app.until(/^ @docs\/guide\.md now$/m)
  })

  it('several lines are one call; Tab opens its JSON, and the call can be chosen and explained', async () => {
    const app = await openApp()
    await app.until(READY)
    await app.type('write_file path=poem.txt content=')
    await app.press('C-j')
    await app.type('first line')
    await app.press('C-j')
    await app.type('second line')
    await app.press('Enter')
    await app.answer('o', /✓ write_file poem\.txt/)
    expect(app.shop.get('poem.txt')).toBe('first line\nsecond line')
    await app.press('Tab')
    await app.until(/"name": "write_file"/)
    await app.press('Tab')
    await app.until(/\+second line[\s\S]*Changed/)
    await app.press('C-p')
    await app.until(/Tab JSON · Ctrl-O open poem\.txt · Ctrl-G why/)
    await app.press('C-g')
    await app.until(/was allowed and is COMPLETED/)
    await app.send('/redoo')
    await app.until(/Did you mean \/redo\?/)
    await app.send('read_file {"path":')
    await app.until(/The arguments are not valid JSON/)
  })

  it('Ctrl-C takes a question away that nothing waits for, as Esc does, and the app goes on', async () => {
    const app = await openApp({ words: '--yes' })
    await app.until(READY)
    await app.send('write_file path=a.txt content=two')
    await app.until(/Changed: a\.txt/)
    await app.send('/undo')
    await app.answer('Enter', /Undo this/)
    await app.answer('C-c', /Nothing was changed/)
    expect(app.shop.get('a.txt')).toBe('two')
    await app.send('/undo --yes')
    await app.until(/Undone/)
  })

  it('Esc cancels what runs and the app goes on; Ctrl-C twice quits', async () => {
    const app = await openApp({ words: UNCONFINED })
    await app.until(READY)
    await app.send(SLOW)
    await app.answer('o', /output of run_shell[\s\S]*began/)
    await app.press('Escape')
    await app.until(/✗ run_shell[\s\S]*Cancelled by user/)
    await app.send('list_directory path=.')
    await app.until(/✓ list_directory/)
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    await app.press('C-c')
    await app.until(/Ctrl-C again to quit/)
    // The offer lasts for a while only, and on a busy machine it may be over: then the first of these renews it.
    await app.press('C-c', 'C-c')
    await app.until(/left session cli/)
  })

  it('Esc says what quits; Ctrl-R finds a line, Ctrl-O edits it in $EDITOR, and Alt-Enter keeps one for later', async () => {
    const shop = makeShop({})
    const editor = join(shop.stateDir, '..', 'editor')
    writeFileSync(editor, `#!/bin/sh\nsed -i s/first/second/ "$1"\n`)
    chmodSync(editor, 0o755)
    const app = await openApp({ shop, words: UNCONFINED, env: { EDITOR: shellWord(editor), VISUAL: '' } })
    await app.until(READY)
    await app.send('todo_write action=create title=first')
    await app.until(/✓ todo_write/)
    await app.press('Escape')
    await app.until(/Ctrl-C twice or Ctrl-D quits/)
    await app.press('C-r')
    await app.until(/Typed before, newest first\n > todo_write action=create title=first/)
    await app.type('title')
    await app.press('Enter')
    await app.until(/^ todo_write action=create title=first$/m)
    await app.press('C-o')
    await app.until(/^ todo_write action=create title=second$/m)
    await app.press('C-u')
    await app.send('!echo began; sleep 60')
    await app.answer('o', /output of run_shell[\s\S]*began/)
    await app.type('/rename kept')
    await app.press('M-Enter')
    await app.until(/> \/rename kept\n +This runs when the current work has ended/)
    await app.press('Escape')
    await app.until(/Cancelled by user[\s\S]*Dropped from the queue: 1/)
    await app.press('Up')
    await app.until(/^ \/rename kept$/m)
  })

  it('a question that is cancelled runs nothing, and one put off waits for /pending', async () => {
    const app = await openApp()
    await app.until(READY)
    await app.send('write_file path=a.txt content=a')
    await app.answer('Escape', /⊘ write_file a\.txt/)
    await app.send('write_file path=b.txt content=b')
    // The call waits already while the sheet is open; only the word about it says that the answer was taken.
    await app.answer('l', /Postponed; \/pending asks again/)
    await app.until(/\? write_file b\.txt +waits for you/)
    expect(await app.shop.pendingIds()).toHaveLength(1)
    await app.send('/pending')
    await app.answer('o', /✓ write_file b\.txt/)
    expect([app.shop.get('a.txt'), app.shop.get('b.txt')]).toEqual([null, 'b'])
  })

  it('Shift-Tab switches presets; sessions are listed, opened and reopened', async () => {
    const app = await openApp()
    await app.until(READY)
    await app.press('BTab')
    await app.until(/edits · /)
    await app.send('write_file path=a.txt content=a')
    await app.until(/✓ write_file a\.txt/)
    await app.send('/session other')
    await app.until(/session +other/)
    await app.send('write_file path=b.txt content=b')
    await app.until(/✓ write_file b\.txt/)
    await app.send('/session')
    await app.until(/\* other[\s\S]*cli/)
    await app.send('/quit')
    await app.until(/left session other/)
    await app.restart('--continue')
    // What it showed before is still there until the screen is cleared.
    const again = await app.until(/^ session +other$[\s\S]*✓ write_file b\.txt/m)
    expect(again).not.toMatch(/a\.txt/)
    await app.send('/undo')
    await app.answer('Enter', /Undo this/)
    await app.answer('y', /Undone/)
    expect([app.shop.get('a.txt'), app.shop.get('b.txt')]).toEqual(['a', null])
  })

  it('tasks have a panel, and a grant can be given, seen and revoked', async () => {
    const app = await openApp()
    await app.until(READY)
    await app.send('/tasks')
    await app.until(/Tasks {2}nothing to do/)
    await app.send('todo_write action=create title="sweep the forge"')
    await app.until(/Tasks {2}0 of 1 done\n \[ \] sweep the forge/)
    await app.send('write_file path=a.txt content=a')
    await app.until(/g always: write_file/)
    await app.press('w')
    await app.answer('g', /✓ write_file a\.txt/)
    await app.send('/grants')
    const shown = await app.until(/\/grants revoke ID/)
    const id = /^ {3}([0-9a-z]{10,}) /m.exec(shown)?.[1] ?? ''
    await app.send(`/grants revoke ${id}`)
    await app.until(/Revoked\./)
  })
})
