import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeShop } from '../cli/command-line.ts'
import { shellWord } from '../../harness/shell-word.ts'
import { LISTENING, openApp, READY } from './app-pane.ts'
import type { AppPane } from './app-pane.ts'
import type { ScriptTurn } from './test-session.ts'

const call = (id: string, name: string, args: object) => ({ id, name, args })
const shell = (id: string, script: string) => call(id, 'run_shell', { cmd: ['sh', '-c', script] })

/** The app with a scripted model; commands run without a sandbox, so that this works wherever tests do. */
async function openScripted(
  turns: readonly ScriptTurn[],
  wish: { readonly words?: string; readonly files?: Readonly<Record<string, string>> } = {},
): Promise<AppPane> {
  const shop = makeShop(wish.files ?? { 'a.txt': 'alpha\n' })
  const script = join(shop.stateDir, '..', 'script.json')
  writeFileSync(script, JSON.stringify({ turns }))
  const words = `--model ${shellWord(`script:${script}`)} --set tools.shell.sandbox=none ${wish.words ?? ''}`
  const app = await openApp({ shop, words, rows: 45 })
  await app.until(READY)
  return app
}

describe('the app with a model, in a real terminal', () => {
  it('FR-TUI-01, F-UI-PROMPT: a group of questions is answered one by one, all or none; risk and sandbox are said', async () => {
    const app = await openScripted([
      {
        text: 'Two files and a command.',
        calls: [
          call('c1', 'write_file', { path: 'one.txt', content: '1\n' }),
          call('c2', 'write_file', { path: 'two.txt', content: '2\n' }),
          shell('c3', 'rm -rf build'),
        ],
      },
      { text: 'All **done**.' },
    ])
    await app.send('go')
    const sheet = await app.until(/Esc cancel$/m)
    expect(sheet).toMatch(/Question 1 of 3/)
    expect(sheet).toMatch(/│ one\.txt \(new\)\n +│ 1 \+1$/m)
    expect(sheet).toMatch(/\[ \] 1 write_file: Write one\.txt.*medium risk/)
    expect(sheet).toMatch(/\[ \] 3 run_shell: Run: sh -c 'rm -rf build'.*HIGH RISK/)
    await app.press('Down')
    await app.until(/> \[ \] 2 /)
    await app.press('Space')
    await app.until(/\[x\] 2 /)
    await app.answerLine('o', /\[ \] 2 write_file.*yes, once/)
    await app.press('Down', 'Down')
    const risky = await app.until(/HIGH RISK !!.* · UNSANDBOXED|Sandbox: UNSANDBOXED/)
    expect(risky).toMatch(/│ which /)
    expect(risky).toMatch(/\/undo does not revert what it does/)
    await app.answerLine('a', /\[x\] 1[\s\S]*\[x\] 2[\s\S]*\[x\] 3/)
    await app.answerLine('n', /\[ \] 1[\s\S]*\[ \] 2[\s\S]*\[ \] 3/)
    await app.answerLine('d', /Why not\?/)
    await app.type('keep the build')
    await app.press('Enter')
    await app.until(/3 run_shell.* no$/m)
    await app.answerLine('o', /All done\./)
    const end = await app.screen()
    expect(end).toMatch(/✓ write_file one\.txt/)
    expect(end).toMatch(/✓ write_file two\.txt/)
    expect(end).toMatch(/⊘ run_shell[^\n]*\n[^\n]*keep the build/)
    expect(end).toMatch(
      /Changed: one\.txt \(created\), two\.txt \(created\)\. \/undo reverts it, \/undo --last 1 only/,
    )
    await app.send('/undo --turn --yes')
    await app.until(/Undone/)
    expect([app.shop.get('one.txt'), app.shop.get('two.txt')]).toEqual([null, null])
  })

  it('FR-TUI-02, FR-TUI-03: a running call has a spinner and its time; its output follows unless scrolled up; words steer', async () => {
    const app = await openScripted([
      {
        text: 'Counting.',
        calls: [
          shell('c1', 'i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo count $i; sleep 0.02; done'),
          call('c2', 'write_file', { path: 'never.txt', content: 'x' }),
        ],
      },
      { text: 'I heard you.' },
    ])
    await app.send('count')
    await app.until(LISTENING)
    await app.answerLine('a', /\[x\] 1[\s\S]*\[x\] 2/)
    await app.answerLine('o', /output of run_shell/)
    await app.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] run_shell.* \d+\.\d s/)
    expect(await app.until(/lines before these/)).toMatch(/• write_file never\.txt +pending/)
    for (let i = 0; i < 5; i++) await app.press('S-Up')
    const still = (await app.until(/scrolled up/)).match(/count \d+/g)
    await app.send('stop after this one')
    await app.until(/> stop after this one\s+The model gets this as soon as the running call ends\./)
    const heard = await app.until(/I heard you\./)
    expect(heard).not.toContain('as soon as the running call ends')
    expect(still).not.toBeNull()
    const end = await app.screen()
    expect(end).toMatch(/⊘ write_file never\.txt/)
    expect(end).toMatch(/> stop after this one/)
    expect(app.shop.get('never.txt')).toBeNull()
  })

  it('FR-TUI-03: the last fifty lines are there, their end is in view, and scrolling goes up and comes back', async () => {
    const script = 'seq -f "count %g" 1 120; while [ ! -e go ]; do sleep 0.05; done'
    const app = await openScripted([
      { text: 'Counting.', calls: [shell('c1', script)] },
      { text: 'Counted.' },
    ])
    await app.send('count')
    await app.answer('o', /70 lines before these/)
    const end = await app.until(/│ count 120$/m)
    expect(end).not.toMatch(/scrolled up/)
    for (let i = 0; i < 5; i++) await app.press('S-Up')
    const up = await app.until(/scrolled up[\s\S]*│ count 115\n(?! *│ count 116)/)
    expect(up).not.toMatch(/│ count 116$/m)
    await app.press(...Array.from({ length: 60 }, () => 'S-Up'))
    expect(await app.until(/│ count 71$/m)).not.toMatch(/│ count 70$/m)
    await app.press(...Array.from({ length: 60 }, () => 'S-Down'))
    expect(await app.until(/│ count 120$/m)).not.toMatch(/scrolled up/)
    app.shop.put('go', '')
    await app.until(/Counted\./)
  })

  it('FR-TUI-03: what is scrolled to stays in view while more is printed, and its end is followed again from there', async () => {
    const until = (file: string) => `while [ ! -e ${file} ]; do sleep 0.05; done`
    const count = (from: number, to: number) => `seq -f "count %g" ${from} ${to}`
    const script = [count(1, 60), until('one'), count(61, 80), until('two'), count(81, 90), until('three')]
    const app = await openScripted([
      { text: 'Counting.', calls: [shell('c1', script.join('; '))] },
      { text: 'Counted.' },
    ])
    await app.send('count')
    await app.answer('o', /10 lines before these/)
    await app.press(...Array.from({ length: 10 }, () => 'S-Up'))
    const lines = (text: string) => text.match(/│ count \d+$/gm)
    const before = lines(await app.until(/scrolled up[\s\S]*│ count 50\n(?! *│ count 51)/))
    app.shop.put('one', '')
    const after = await app.until(/30 lines before these · scrolled up/)
    expect(lines(after)).toEqual(before)
    await app.press(...Array.from({ length: 60 }, () => 'S-Down'))
    expect(await app.until(/│ count 80$/m)).not.toMatch(/scrolled up/)
    app.shop.put('two', '')
    expect(await app.until(/│ count 90$/m)).not.toMatch(/scrolled up/)
    app.shop.put('three', '')
    await app.until(/Counted\./)
  })

  it('FR-RES-05: after kill -9 in the middle the app asks whether to resume or discard, and runs nothing again', async () => {
    const app = await openScripted([
      {
        text: 'First.',
        calls: [
          call('c1', 'write_file', { path: 'kept.txt', content: 'kept\n' }),
          shell('c2', 'echo began >> began.txt; echo here; sleep 60'),
          call('c3', 'write_file', { path: 'later.txt', content: 'x' }),
        ],
      },
      { text: 'Going on with what there is.' },
    ])
    await app.send('go')
    await app.until(LISTENING)
    await app.answerLine('a', /\[x\] 1[\s\S]*\[x\] 3/)
    // Without a sandbox a command is a high risk, which has to be looked at first.
    await app.answerLine('o', /High risk: read all of question 2 first/)
    await app.answerLine('o', /│ here/)
    await app.kill()
    await app.restart(app.words)
    const sheet = await app.until(/r resume/)
    expect(sheet).toMatch(/2 edits of one message: 1 in place \(kept\.txt\), 1 never began \(later\.txt\)\./)
    expect(sheet).toMatch(/finished +write_file/)
    expect(sheet).toMatch(/in doubt +run_shell/)
    expect(sheet).toMatch(/never began +write_file/)
    await app.answer('r', /Going on with what there is\./)
    expect([app.shop.get('kept.txt'), app.shop.get('began.txt'), app.shop.get('later.txt')]).toEqual([
      'kept\n',
      'began\n',
      null,
    ])
    expect(await app.screen()).toMatch(/in_doubt/)
  })

  it('FR-TUI-04: calls of a model are held in parse-only mode, and a person answers for them', async () => {
    const app = await openScripted(
      [{ text: 'Let me see.', calls: [call('c1', 'read_file', { path: 'a.txt' })] }, { text: 'So it says.' }],
      { words: '--set tools.mode=parse_only' },
    )
    await app.send('look')
    const held = await app.until(/\/tool ID RESULT/)
    expect(held).toMatch(/• read_file a\.txt +held, id c1/)
    await app.send('/tool c9 x')
    await app.until(/No call c9 is waiting/)
    await app.send('/tool c1 whatever I say')
    await app.until(/1 of 1 results received[\s\S]*So it says\./)
  })
})
