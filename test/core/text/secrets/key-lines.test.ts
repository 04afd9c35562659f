import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createKeyLines } from '../../../../src/core/text/secrets/key-lines.ts'

const KEY = String(
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
)
const LINES = KEY.split('\n').slice(1, -3)

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

it('a line of a noted key is found in any text, whole or cut, and nothing else is', () => {
  const keys = createKeyLines()
  expect(keys.find(KEY)).toEqual([])
  keys.note(bytesOf(`# notes\n${KEY}`))
  for (const line of LINES)
    for (const part of [line, line.slice(0, 24), line.slice(7, 31), line.slice(-24)])
      expect(keys.find(`x: "${part}", y`)).toEqual([{ start: 4, end: 4 + part.length, kind: 'private key' }])
  expect(keys.find(`${randomBytes(60).toString('base64')}\n# notes\nBEGIN RSA PRIVATE KEY`)).toEqual([])
})

it('code between the names of the two lines of a key is not taken for the key', () => {
  const keys = createKeyLines()
  const code = 'return createRedactingStream(text) // src/core/text/secrets/redact-stream'
  keys.note(bytesOf(`'-----BEGIN PRIVATE KEY-----'\n${code}\n'-----END PRIVATE KEY-----'\n`))
  expect(keys.find(code)).toEqual([])
})

it('files of any size are looked through, whatever they consist of', () => {
  const data = randomBytes(6_000_000).toString('base64')
  const wrapped = data.replace(/.{64}/g, '$&\n')
  const keys = createKeyLines()
  for (const text of [
    data,
    wrapped,
    `-----BEGIN CERTIFICATE-----\n${data}!\n${wrapped.slice(0, 200)}`,
    `b3BlbnNzaC1rZXktdjE${wrapped}`,
    `b3BlbnNzaC1rZXktdjE${data}`,
    `-----BEGIN PRIVATE KEY-----\n${wrapped}`,
  ])
    keys.note(bytesOf(text))
  const [first = ''] = wrapped.split('\n')
  expect(keys.find(first)).toHaveLength(1)
})
