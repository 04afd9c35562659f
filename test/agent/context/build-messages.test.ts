import { expect, it } from 'vitest'
import { BYTES_PER_TOKEN } from '../../../src/config/fixed-values.ts'
import { byteLength } from '../../../src/core/text/truncate.ts'
import { digest } from '../../../src/host/system/hash.ts'
import type { SessionReader } from '../../../src/journal/log.ts'
import { buildMessages, createMessageBuilder } from '../../../src/agent/context/build-messages.ts'
import { estimateTokens } from '../../../src/agent/context/capacity.ts'
import { emptyTranscript, foldEntry } from '../../../src/agent/log/transcript.ts'
import { HARDENING_SEED, triesOf } from '../../harness/long-run.ts'
import { talkAtRandom } from '../random-talk.ts'

const STEPS = 26
const TRIES = triesOf(3, 100)

it('what is built of a conversation that grows is what would be built of it at once, and so is its size', async () => {
  let [compared, stubbed] = [0, 0]
  const compare = ({ entries, payload }: SessionReader): void => {
    for (const protocol of ['native', 'fenced'] as const) {
      const build = createMessageBuilder(protocol, digest)
      let transcript = emptyTranscript()
      for (const stored of entries()) {
        transcript = foldEntry(transcript, stored, payload)
        const built = build(transcript)
        expect(built).toEqual(buildMessages(transcript, protocol, digest))
        const bytes = byteLength(JSON.stringify(built.messages)) + byteLength('[]')
        expect(estimateTokens('', built.messages)).toBe(Math.ceil(bytes / (BYTES_PER_TOKEN - 1)))
        compared += built.messages.length
        stubbed += built.stubbedResults
      }
    }
  }
  for (let at = 0; at < TRIES * 100; at++) {
    if (at >= TRIES && stubbed > 0) break
    await talkAtRandom(HARDENING_SEED + at, STEPS, compare)
  }
  expect(compared).toBeGreaterThan(100)
  expect(stubbed).toBeGreaterThan(0)
})
