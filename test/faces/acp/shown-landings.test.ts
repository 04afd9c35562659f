import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { readDiff, restOfDiff } from '../../../src/wire/acp/diff-content.ts'
import { makeScripted, openEditor } from './open-editor.ts'

const textOf = (asked: RequestPermissionRequest | undefined): string =>
  (asked?.toolCall.content ?? [])
    .map((part) => (part.type === 'content' && part.content.type === 'text' ? part.content.text : ''))
    .join('\n')

const SCRIPT = [
  'chmod 755 run.sh',
  'rm gone',
  ': > emptied',
  'printf "\\000\\001" > bin',
  'ln -s /etc/passwd lnk',
  'mkdir newdir',
  ': > empty',
  'printf "x\\n" > "$(printf \'n\\nMode of f: 644\')"',
  'printf "abc\\342\\200\\256def\\342\\240\\200\\n" > new.txt',
  'printf end > tail',
  `true ${'long '.repeat(200)} the-last-word`,
].join('; ')

describe('the question about what a command would land', () => {
  it('shows every change in what the editor draws, and the whole command', async () => {
    const files = { 'run.sh': '#!/bin/sh\n', gone: 'one\n', emptied: 'one\n', bin: 'one\n', tail: 'end\n' }
    const shop = makeScripted([], files)
    writeFileSync(join(shop.root, 'bin'), Buffer.from([0, 1, 2]))
    const editor = await openEditor(shop, {
      words: [],
      ask: () => ({ outcome: { outcome: 'selected', optionId: 'deny' } }),
    })
    const sessionId = await editor.begin({ _meta: { tongs: { model: 'optional' } } })
    const args = { cmd: ['sh', '-c', SCRIPT] }
    await editor.agent.request('_tongs/call', { sessionId, name: 'run_shell', args })
    const text = textOf(editor.asked.at(-1))
    for (const line of [
      'Mode of run.sh: 644 → 755',
      'Link created: lnk → /etc/passwd',
      'File changed: bin (3 bytes → 2 bytes, not shown)',
      'Folder created: newdir',
      'Empty file created: empty',
      'File removed: gone',
      'tail: the new text has no line end at its end',
    ])
      expect(text).toContain(`\n${line}\n`)
    expect(text).not.toContain('File removed: emptied')
    // A name with a line end in it does not print a line of its own.
    expect(text).not.toMatch(/^Mode of f: 644/m)
    expect(text).toMatch(/In new\.txt, spelled out: \+abc\\u\{202E\}def\\u\{2800\}/)
    expect(text).toContain('the-last-word')
    expect(text).not.toMatch(/\u202E|\u2800/u)
  })
})

describe('a diff for an editor', () => {
  const plain = (line: string): string => line

  it('leaves no line out, and takes no line of a text for one of its own', () => {
    const diff = [
      'Mode of a: 644 → 755',
      '--- a/a',
      '+++ b/a',
      '@@ -1,2 +1,2 @@',
      '---- b',
      '-Mode of x: 1',
      '++++ c',
      '+Folder created: y',
      'Folder removed: z',
      '--- a/d',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-one',
      '\\ No newline at end of file',
      'The diff is cut here: 3 more changes are not shown.',
      '',
    ].join('\n')
    expect(restOfDiff(diff, plain)).toEqual([
      'Mode of a: 644 → 755',
      'Folder removed: z',
      'File removed: d',
      'd: the old text has no line end at its end',
      'The diff is cut here: 3 more changes are not shown.',
    ])
    expect(readDiff(diff, plain)).toEqual([
      { path: 'a', oldText: '--- b\nMode of x: 1\n', newText: '+++ c\nFolder created: y\n' },
      { path: 'd', oldText: 'one\n', newText: '' },
    ])
  })

  it('has nothing else to say about plain texts', () => {
    const diff = '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n'
    expect(restOfDiff(diff, plain)).toEqual([])
  })
})
