import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { shellWord } from '../../harness/shell-word.ts'
import { makeShop } from '../cli/command-line.ts'
import type { Shop } from '../cli/command-line.ts'
import { openApp, READY } from './app-pane.ts'

/** A shop with a script, and the words that name it as the model. */
function shopWith(turns: readonly object[]): { readonly shop: Shop; readonly model: string } {
  const shop = makeShop({ 'a.txt': 'alpha\n' })
  const script = join(shop.stateDir, '..', 'script.json')
  writeFileSync(script, JSON.stringify({ turns }))
  return { shop, model: `script:${script}` }
}

const PICKING = /Esc back$/m

describe('the sessions of the app', () => {
  it('begins a new one and offers the last if it is recent: Enter continues it, with its model and preset', async () => {
    const { shop, model } = shopWith([{ text: 'First.' }, { text: 'Second.' }])
    const run = await shop.tongs(['run', 'what we began', '--model', model, '--preset', 'plan', '--no-input'])
    expect(run.code).toBe(0)
    const app = await openApp({ shop, isUnnamed: true, columns: 140 })
    const offered = await app.until(/The last session, just now: what we began[\s\S]*Press Enter/)
    expect(offered).not.toContain('First.')
    await app.press('Enter')
    const shown = await app.until(/First\./)
    expect(shown).toMatch(/preset\s+plan/)
    expect(shown).toContain('script:')
    await app.send('go on')
    await app.until(/Second\./)
  })

  it('what is typed begins a new one; /new another, /resume finds the first by a word that was said', async () => {
    const { shop, model } = shopWith([{ text: 'It is about badgers.' }, { text: 'Second.' }])
    await shop.tongs(['run', 'tell me something', '--model', model, '--no-input'])
    const app = await openApp({ shop, isUnnamed: true, words: `--model ${shellWord(model)}`, columns: 140 })
    await app.until(/Press Enter/)
    await app.send('another matter')
    await app.until(/It is about badgers/)
    await app.send('/rename Matters of weight')
    await app.until(/now called: Matters of weight/)
    await app.send('/new')
    await app.until(/session \S+ · preset/)
    await app.send('third')
    await app.until(/It is about badgers/)
    await app.send('/resume')
    await app.until(PICKING)
    await app.until(/Matters of weight[\s\S]*tell me something/)
    await app.type('weight')
    await app.until(/> Matters of weight [^\n]*\n weight_/)
    await app.press('Escape')
    await app.until(/^(?![\s\S]*Continue which)/)
    await app.send('/resume')
    await app.until(PICKING)
    await app.type('badgers something')
    await app.until(/> tell me something [^\n]*\n[\s\S]* badgers something_/)
    await app.press('Enter')
    await app.until(/ · preset (?![\s\S]*third)[\s\S]*> tell me something[\s\S]*It is about badgers/)
  })

  it('/fork at a message of the user ends before it and puts it into the line; the first session stays', async () => {
    const { shop, model } = shopWith([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }])
    const app = await openApp({ shop, words: `--session one --model ${shellWord(model)}`, columns: 140 })
    await app.until(READY)
    await app.send('first prompt')
    await app.until(/One\./)
    await app.send('second prompt')
    await app.until(/Two\./)
    await app.send('/fork')
    await app.until(PICKING)
    await app.until(/> 4 model: Two\.\s+3 you: second prompt/)
    await app.press('Down')
    await app.until(/> 3 you: second prompt/)
    await app.press('Enter')
    await app.until(/ · preset (?![\s\S]*Two\.)[\s\S]*One\.[\s\S]*second prompt/)
    await app.type(' otherwise')
    await app.press('Enter')
    await app.until(/second prompt otherwise[\s\S]*Two\./)
    const { out } = await shop.tongs(['sessions', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      sessions: [
        { title: 'first prompt (fork)', messages: 4, open: true },
        { name: 'one', messages: 4, open: false },
      ],
    })
  })

  it('a preset that was chosen in the app stays with its session after a kill', async () => {
    const { shop, model } = shopWith([{ text: 'One.' }, { text: 'Two.' }])
    const app = await openApp({ shop, words: `--session one --model ${shellWord(model)}`, columns: 140 })
    await app.until(READY)
    await app.send('hello')
    await app.until(/One\./)
    await app.send('/preset auto')
    // The line that is typed names it too.
    await app.until(/ auto · /)
    await app.kill()
    await app.restart('--session one')
    await app.until(/preset\s+auto[\s\S]*One\./)
    await app.send('again')
    await app.until(/Two\./)
  })

  it('one that has only typed calls is continued with its model, even after a kill', async () => {
    const { shop, model } = shopWith([{ text: 'One.' }])
    const app = await openApp({ shop, words: `--session one --model ${shellWord(model)}`, columns: 140 })
    await app.until(READY)
    await app.send('read_file path=a.txt')
    await app.until(/✓ read_file a\.txt/)
    await app.kill()
    await app.restart('--continue')
    await app.until(/✓ read_file a\.txt/)
    await app.send('hello')
    await app.until(/One\./)
  })
})

describe('/undo', () => {
  const write = (path: string, content: string) => ({ id: path, name: 'write_file', args: { path, content } })

  it('shows the turns with what each changed, commands included, and undoes down to the chosen one', async () => {
    const { shop, model } = shopWith([
      { calls: [write('one.txt', '1\n')] },
      { text: 'Made one.' },
      {
        calls: [
          {
            id: 'c',
            name: 'run_shell',
            args: { cmd: ['sh', '-c', 'echo x >> a.txt; mkdir in; echo y > in/two.txt'] },
          },
        ],
      },
      { text: 'Made two.' },
      { calls: [write('three.txt', '3\n')] },
      { text: 'Made three.' },
    ])
    const app = await openApp({
      shop,
      words: `--session one --preset auto --yes --model ${shellWord(model)}`,
      columns: 140,
    })
    await app.until(READY)
    for (const [prompt, answer] of [
      ['make one', /Made one/],
      ['run it', /Made two/],
      ['make three', /Made three/],
    ] as const) {
      await app.send(prompt)
      await app.until(answer)
    }
    await app.send('/undo')
    await app.until(PICKING)
    await app.until(
      /> \d\d:\d\d make three\s+\+three\.txt[\s\S]*run it\s+~a\.txt \+in\/two\.txt \(command\)[\s\S]*make one\s+\+one\.txt/,
    )
    await app.press('Down')
    await app.until(/\| \d\d:\d\d make three[\s\S]*> \d\d:\d\d run it/)
    await app.press('Enter')
    await app.until(/Undo this\?[\s\S]*three\.txt[\s\S]*will be removed if empty: in\//)
    await app.answer('y', /^(?![\s\S]*Undo this)/)
    await expect
      .poll(() => ['a.txt', 'one.txt', 'in/two.txt', 'three.txt'].map(shop.get), { timeout: PATIENCE_MS })
      .toEqual(['alpha\n', '1\n', null, null])
  })

  it('offers to merge where a person changed a file since, and shows the diff first', async () => {
    const lines = (second: string, ninth: string) => `1\n${second}\n3\n4\n5\n6\n7\n8\n${ninth}\n`
    const { shop, model } = shopWith([
      {
        calls: [
          { id: 'r', name: 'read_file', args: { path: 'n.txt' } },
          { id: 'e', name: 'edit_file', args: { path: 'n.txt', old: '2\n', new: 'two\n' } },
        ],
      },
      { text: 'Changed.' },
    ])
    shop.put('n.txt', lines('2', '9'))
    const app = await openApp({
      shop,
      words: `--session one --preset edits --yes --model ${shellWord(model)}`,
      columns: 140,
    })
    await app.until(READY)
    await app.send('change it')
    await app.until(/Changed\./)
    shop.put('n.txt', lines('two', 'nine'))
    await app.send('/undo')
    await app.until(PICKING)
    await app.until(/~n\.txt/)
    await app.press('Enter')
    await app.until(/Changed since: n\.txt[\s\S]*> merge/)
    await app.until(PICKING)
    await app.press('Enter')
    await app.until(/will be merged: n\.txt \(later changes kept\)\n\s+│[\s\S]*│ \d -two[\s\S]*│ \d \+2/)
    await app.answer('y', /n\.txt/)
    await expect.poll(() => shop.get('n.txt'), { timeout: PATIENCE_MS }).toBe(lines('2', 'nine'))
  })
})

describe('several edits of one message, after kill -9', () => {
  it('are taken back by one key, and the model is told', async () => {
    const write = (path: string) => ({ id: path, name: 'write_file', args: { path, content: 'x\n' } })
    const stops = { id: 's', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo here; sleep 60'] } }
    const { shop, model } = shopWith([
      { calls: [write('one.txt'), write('two.txt'), stops, write('three.txt')] },
      { text: 'Going on.' },
    ])
    const unconfined = '--set tools.shell.sandbox=external --set tools.shell.external_label=test'
    const words = `--session one --yes --set tools.shell.layer=off ${unconfined} --model ${shellWord(model)}`
    const app = await openApp({ shop, words, columns: 140 })
    await app.until(READY)
    await app.send('go')
    await app.until(/│ here/)
    await app.kill()
    await app.restart(words)
    const sheet = await app.until(/d discard: take back the edits in place/)
    expect(sheet).toMatch(
      /3 edits of one message: 2 in place \(one\.txt, two\.txt\), 1 never began \(three\.txt\)\./,
    )
    await app.answer('d', /Undone/)
    await expect
      .poll(() => ['one.txt', 'two.txt', 'three.txt'].map(shop.get), { timeout: PATIENCE_MS })
      .toEqual([null, null, null])
  })
})
