import { describe, expect, it } from 'vitest'
import { decodeFrame, encodeFrame, MAX_FRAME_BYTES } from '../../../src/journal/segments/frame.ts'
import type { WaitingRow } from '../../../src/journal/segments/frame.ts'
import { decodeHeader, encodeHeader, HEADER_BYTES } from '../../../src/journal/segments/segment-header.ts'
import { content } from '../sample-entries.ts'

const SEED = 12345

const ROWS: readonly WaitingRow[] = [
  {
    is: 'entry',
    session: 7,
    entry: {
      seq: 2 ** 40,
      at: 1_700_000_000_000,
      kind: 'settled',
      hash: content('hash').digest,
      executions: ['e1', 'ü2'],
      body: '{"text":"a\u0000 and ü and 🙂"}',
    },
  },
  { is: 'payload', digest: content('bytes').digest, bytes: new Uint8Array([0, 1, 255]) },
  { is: 'payload', digest: content('').digest, bytes: new Uint8Array() },
  { is: 'ledger', session: 8, body: '[]' },
]

/** The frame of the rows, with nothing after it. */
function frameOf(rows: readonly WaitingRow[]): Buffer {
  return Buffer.from(encodeFrame(rows, SEED) ?? '')
}

describe('a frame', () => {
  it('comes back as it was written, and says where the next one begins', () => {
    const frame = frameOf(ROWS)
    const bytes = Buffer.concat([frame, frameOf(ROWS.slice(1)), Buffer.alloc(64)])
    const first = decodeFrame(bytes, 0, SEED)
    expect(first?.end).toBe(frame.length)
    expect(JSON.stringify(first?.rows)).toBe(
      JSON.stringify(
        ROWS.map((row) => (row.is === 'payload' ? { ...row, bytes: Buffer.from(row.bytes) } : row)),
      ),
    )
    expect(decodeFrame(bytes, frame.length, SEED)?.rows).toHaveLength(3)
    expect(decodeFrame(bytes, bytes.length - 64, SEED)).toBeNull()
  })

  it('that was torn at any byte does not count, with zeros or with nothing after it', () => {
    const frame = frameOf(ROWS)
    for (let cut = 0; cut < frame.length; cut++) {
      const torn = frame.subarray(0, cut)
      expect(decodeFrame(torn, 0, SEED), `cut at ${cut}`).toBeNull()
      const padded = Buffer.concat([torn], frame.length + 100)
      // The last bytes of a frame may be zeros themselves.
      if (!padded.subarray(0, frame.length).equals(frame))
        expect(decodeFrame(padded, 0, SEED), `zeros from ${cut}`).toBeNull()
    }
  })

  it('with one wrong byte anywhere does not count', () => {
    const frame = frameOf(ROWS)
    for (let at = 0; at < frame.length; at++) {
      const wrong = Buffer.from(frame)
      wrong[at] = (wrong[at] ?? 0) ^ 0x10
      expect(decodeFrame(Buffer.concat([wrong, Buffer.alloc(64)]), 0, SEED), `byte ${at}`).toBeNull()
    }
  })

  it('of another segment or epoch does not count', () => {
    expect(decodeFrame(frameOf(ROWS), 0, SEED + 1)).toBeNull()
  })

  it('that would be too long is not made', () => {
    const long = new Uint8Array(MAX_FRAME_BYTES)
    expect(encodeFrame([{ is: 'payload', digest: content('x').digest, bytes: long }], SEED)).toBeNull()
    const text = 'ü'.repeat(MAX_FRAME_BYTES / 2)
    expect(encodeFrame([{ is: 'ledger', session: 1, body: text }], SEED)).toBeNull()
  })
})

describe('a header', () => {
  const header = { id: 'a'.repeat(32), database: 'b'.repeat(32), boot: 'boot', epoch: 3 }

  it('comes back as it was written, with or without a boot', () => {
    expect(encodeHeader(header)).toHaveLength(HEADER_BYTES)
    expect(decodeHeader(encodeHeader(header))).toEqual(header)
    expect(decodeHeader(encodeHeader({ ...header, boot: '' }))).toEqual({ ...header, boot: '' })
  })

  it('that is cut short or changed is none', () => {
    const bytes = encodeHeader(header)
    for (const cut of [0, 10, 60, 80]) expect(decodeHeader(bytes.subarray(0, cut))).toBeNull()
    bytes[20] = 0x7a
    expect(decodeHeader(bytes)).toBeNull()
  })
})
