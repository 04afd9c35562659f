import { describe, expect, it } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'

const latin = (text: string): Buffer => Buffer.from(text, 'latin1')
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le')
const swapped = (text: string): Buffer => wide(text).swap16()
const TEXT = 'Größe = 3\r\nÜber = 4\r\n'

describe('read_file of text that is not UTF-8', () => {
  it.for([
    ['UTF-16 with a mark', wide(`\uFEFF${TEXT}`), 'its byte order mark says utf-16le', 'utf-16le'],
    [
      'the same in the other order',
      swapped(`\uFEFF${TEXT}`),
      'its byte order mark says utf-16be',
      'utf-16be',
    ],
    ['UTF-16 without one', wide(TEXT), 'it looks like utf-16le without a byte order mark', 'utf-16le'],
    ['its other order', swapped(TEXT), 'it looks like utf-16be without a byte order mark', 'utf-16be'],
    [
      'a cookie',
      latin('#!/bin/x\n# -*- coding: koi8-r -*-\n\xc1 = 1\n'),
      'it says that it is koi8-r',
      'koi8-r',
    ],
    [
      'an XML declaration',
      latin('<?xml version="1.0" encoding="iso-8859-2"?>\n<a>\xb1</a>\n'),
      'it says that it is iso-8859-2',
      'iso-8859-2',
    ],
    [
      'nothing but its bytes',
      latin(TEXT),
      'it looks like text in an older encoding, most often windows-1252',
      'windows-1252',
    ],
  ] as const)('says what it is and which call shows it: %s', async ([, bytes, says, name]) => {
    const b = bench({ f: bytes })
    const result = await b.call('read_file', { path: 'f' })
    const note = `${says}; read_file with {"encoding": "${name}"} shows the text`
    expect(result.content).toBe(`[binary:base64]\n${bytes.toString('base64')}\n[note: ${note}]`)
    expect(outputOf(result)).toMatchObject({ encoding: 'base64', notes: [note] })
    expect(errorOf(await b.call('read_file', { path: 'f', start_line: 1 })).message).toContain(note)
    const shown = outputOf(await b.call('read_file', { path: 'f', encoding: name }))
    const text = new TextDecoder(name).decode(bytes)
    expect(shown).toMatchObject({ encoding: 'utf-8', content: text, decoded_from: name, size: bytes.length })
  })

  it.for([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])],
    ['every byte', Buffer.from(Uint8Array.from({ length: 512 }, (_, at) => at % 256))],
    ['random-looking bytes', Buffer.from(Uint8Array.from({ length: 300 }, (_, at) => (at * 97 + 129) % 256))],
    ['a mark and no text', Buffer.from([0xff, 0xfe, 0, 0, 1, 0, 2, 0])],
    ['mostly other letters', Buffer.from('привет мир', 'utf8').map((byte) => byte | 0x80)],
  ] as const)('says nothing of what is not text: %s', async ([, bytes]) => {
    const result = await bench({ f: bytes }).call('read_file', { path: 'f' })
    expect(result.content).toBe(`[binary:base64]\n${Buffer.from(bytes).toString('base64')}`)
  })

  it('says nothing in strict, where the form is that of the document', async () => {
    const bytes = latin(TEXT)
    const result = await bench({ f: bytes }).call(
      'read_file',
      { path: 'f' },
      { config: { profile: 'strict' } },
    )
    expect(result.content).toBe(`[binary:base64]\n${bytes.toString('base64')}`)
  })

  it('shows lines of it, and that edits cannot write it', async () => {
    const b = bench({ f: wide(`\uFEFF${TEXT}`) })
    const args = { path: 'f', encoding: 'UTF-16', start_line: 2, end_line: 2 }
    const result = await b.call('read_file', args)
    expect(result.content).toBe(
      'Über = 4\r\n\n[note: decoded from utf-16le; edits write UTF-8 only, so change this file with a command]',
    )
    expect(outputOf(result)).toMatchObject({ total_lines: 2, range: { start_line: 2, end_line: 2 } })
  })

  it('leaves UTF-8 exact, whatever the call says', async () => {
    const b = bench({ f: TEXT })
    const result = await b.call('read_file', { path: 'f', encoding: 'windows-1252' })
    expect(result.content).toBe(TEXT)
    expect(outputOf(result)).not.toHaveProperty('decoded_from')
  })

  it('stays within the limit with its note', async () => {
    const b = bench({ f: latin(TEXT.repeat(1_000)) })
    for (const args of [{ path: 'f' }, { path: 'f', encoding: 'latin1' }]) {
      const { content } = await b.call('read_file', args, { config: { 'tools.output.max_bytes': 2_000 } })
      expect(Buffer.byteLength(content)).toBeLessThanOrEqual(2_000)
      expect(content).toContain('[note: ')
    }
  })

  it.for([
    [{ encoding: 'klingon' }, 'encoding klingon is not known'],
    [{ encoding: 'shift_jis' }, 'f is not shift_jis: some of its bytes stand for nothing there'],
  ] as const)('refuses what cannot be decoded: %j', async ([args, message]) => {
    const error = errorOf(await bench({ f: latin('\xfc\xff\n') }).call('read_file', { path: 'f', ...args }))
    expect(error.code).toBe('bad_args')
    expect(error.message).toContain(message)
  })
})
