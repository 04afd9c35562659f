import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, outputOf } from '../../bench-folder.ts'

const KEY = String(
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
)
const BODY = KEY.trimEnd().split('\n').slice(1, -1)
/** The last line may be too short to be told from other text. */
const LINES = BODY.filter((line) => line.length >= 40)
const NOTES = `title\nalpha beta\n${KEY}end of notes\nlast line\n`
/** The line of the file at which the body of the key begins. */
const FIRST = 4
const DATA = Array.from({ length: 20 }, () => randomBytes(57).toString('base64'))
const CERTIFICATE = `-----BEGIN CERTIFICATE-----\nMIID${BODY.slice(3, 20).join('\n').slice(4)}\n-----END CERTIFICATE-----\n`
const FILES = {
  'notes.txt': NOTES,
  'body.txt': `words\n${BODY.slice(2).join('\n')}\nwords\n`,
  'windows.txt': NOTES.replaceAll('\n', '\r\n'),
  'key.ts': `export const key =\n${KEY.replace(/^(.+)$/gm, String.raw`  '$1\n' +`)}  ''\n`,
  'key.yaml': `tls:\n  key: |\n${KEY.replace(/^(?=.)/gm, '    ')}`,
  'data.txt': `${DATA.join('\n')}\n`,
  'certificate.txt': CERTIFICATE,
}
const DENY: Partial<RuntimeOptions> = {
  config: { 'secrets.to_model': 'deny', 'tools.approval.mode': 'auto' },
}

type Call = (name: string, args: object) => Promise<ToolResult>

async function open(options = DENY): Promise<Call> {
  const runtime = await bench(FILES).open(options)
  let count = 0
  return async (name, args) => {
    const [result] = await runtime.run([{ id: `c${count++}`, name, args: { ...args } }], { origin: 'model' })
    if (result === undefined) throw new Error('no result')
    return result
  }
}

/** The lines of the key of which a result shows the middle. */
const shownOf = (result: ToolResult, lines = LINES): readonly string[] => {
  const text = JSON.stringify(result)
  return lines.filter((line) => text.includes(line.slice(15, 40)))
}

describe('a private key in a file, of which a model is shown parts', () => {
  it.each(['notes.txt', 'body.txt', 'windows.txt', 'key.yaml', 'key.ts'])(
    'is hidden in the rows of a search in %s, which say so',
    async (path) => {
      const call = await open()
      for (const query of ['[A-Za-z0-9+/]{60}', '[A-Za-z0-9+/]{30}.*$', '[A-Za-z0-9+/]{20}']) {
        const result = await call('search', { query, is_regex: true, include_paths: [path] })
        expect(shownOf(result)).toEqual([])
        expect(result.content).toContain('[redacted]')
        expect(outputOf(result)).toHaveProperty('redacted')
      }
    },
  )

  it('is hidden if its lines are read one at a time', async () => {
    const call = await open()
    for (const path of ['notes.txt', 'windows.txt'])
      for (const [index, line] of LINES.entries()) {
        const result = await call('read_file', { path, start_line: FIRST + index, end_line: FIRST + index })
        expect(shownOf(result)).toEqual([])
        expect(result.content, line).toMatch(/^\[redacted\]/)
      }
  })

  it('is hidden in what failed edits say about the nearest place', async () => {
    const call = await open()
    await call('read_file', { path: 'notes.txt' })
    const [, , , fourth = '', fifth = ''] = LINES
    const near = `${fourth.slice(0, 50)}XXXX\n${fifth}`
    for (const [name, args] of [
      ['edit_file', { path: 'notes.txt', old: near, new: 'y' }],
      ['apply_patch', { patch: `LP1\nF notes.txt\nR\n${fourth.slice(0, 60)}\n.\nx\n.\nEND\n` }],
      ['edit_region', { path: 'notes.txt', start_line: 8, end_line: 8, new_content: 'x', expected: 'q' }],
    ] as const) {
      const result = await call(name, args)
      expect(result.ok, name).toBe(false)
      expect(result.content, name).not.toContain('Bad arguments')
      // What the call itself contained is known already.
      expect(
        shownOf(
          result,
          LINES.filter((line) => line !== fourth && line !== fifth),
        ),
      ).toEqual([])
      expect(JSON.stringify(result), name).not.toContain(fourth)
    }
  })

  it('is asked about without being shown in the question', async () => {
    const asked: ApprovalRequest[] = []
    const call = await open({
      config: { 'secrets.to_model': 'ask', 'tools.approval.mode': 'auto' },
      approve: (requests) => {
        asked.push(...requests)
        return requests.map(() => 'once' as const)
      },
    })
    const result = await call('read_file', { path: 'notes.txt', start_line: 8, end_line: 8 })
    expect(asked).toMatchObject([{ about: 'result', summary: 'Send this to the model: [redacted]' }])
    expect(JSON.stringify(asked)).not.toContain(LINES[4]?.slice(15, 40))
    expect(shownOf(result)).toEqual([LINES[4]])
  })

  it('control: other data and a certificate stay, and so do the words around a key', async () => {
    const call = await open()
    const data = await call('search', {
      query: '[A-Za-z0-9+/]{60}',
      is_regex: true,
      include_paths: ['data.txt'],
    })
    expect(shownOf(data, DATA)).toEqual(DATA)
    const certificate = await call('search', {
      query: '^[A-Za-z0-9+/]{60}',
      is_regex: true,
      include_paths: ['certificate.txt'],
    })
    expect(shownOf(certificate).length).toBeGreaterThan(10)
    const one = await call('read_file', { path: 'certificate.txt', start_line: 5, end_line: 5 })
    expect(shownOf(one)).toHaveLength(1)
    const words = await call('search', { query: 'notes|alpha', is_regex: true, include_paths: ['notes.txt'] })
    expect(words.content).not.toContain('[redacted]')
    expect(words.content).toContain('end of notes')
  })

  it('control: with secrets.to_model allow every line is shown', async () => {
    const call = await open({ config: { 'secrets.to_model': 'allow', 'tools.approval.mode': 'auto' } })
    const result = await call('search', {
      query: '[A-Za-z0-9+/]{60}',
      is_regex: true,
      include_paths: ['notes.txt'],
    })
    expect(shownOf(result)).toEqual(LINES)
  })
})
