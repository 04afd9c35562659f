import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSegmentFile, openSegmentFile } from '../../../src/host/fs/segment-file.ts'
import { makeScratch } from '../../harness/scratch.ts'

test('a file that is written in several pieces holds every byte at its place', () => {
  const path = makeScratch().at('a.log')
  const content = randomBytes(200_001)
  const file = createSegmentFile(path, content)
  expect(readFileSync(path).equals(content)).toBe(true)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const other = randomBytes(131_073)
  file.write(other, 1_000)
  file.close()
  const expected = Buffer.concat([content.subarray(0, 1_000), other, content.subarray(1_000 + other.length)])
  expect(readFileSync(path).equals(expected)).toBe(true)
  const again = openSegmentFile(path)
  again?.write(content, 0)
  again?.close()
  expect(readFileSync(path).equals(content)).toBe(true)
})
