import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT_DIFFERENCES } from './client-scenarios.ts'
import { driveClient } from './conformance-client.ts'
import { runScenario } from './run-suite.ts'
import { readRequired } from './required-scenarios.ts'

/** Takes addresses, and what a scenario says besides, from the programs that the suite starts. */
const handOver = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (part: string) => (body += part))
  request.on('end', () => {
    const { url, context } = JSON.parse(body) as { readonly url: string; readonly context?: string }
    void driveClient(url, context).then(({ isGood, said }) =>
      response.writeHead(isGood ? 200 : 500).end(`${said.join('\n')}\n`),
    )
  })
})
let command = ''

beforeAll(async () => {
  handOver.listen(0, '127.0.0.1')
  await new Promise((done) => handOver.once('listening', done))
  const address = handOver.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  command = `${process.execPath} ${join(import.meta.dirname, 'hand-over.ts')} http://127.0.0.1:${port}/`
})
afterAll(() => void handOver.close())

describe.each(['2025-11-25', '2026-07-28'])('the official conformance suite in revision %s', (revision) => {
  it('is passed by our client, but for the differences that have a reason', async () => {
    const ends: Record<string, string> = {}
    for (const scenario of await readRequired(revision, 'client')) {
      const { checks, text } = await runScenario('client', scenario, revision, ['--command', command])
      const failed = checks.filter(({ status }) => status === 'FAILURE')
      const isGood = failed.length === 0 && checks.length > 0
      ends[scenario] = isGood ? 'passed' : 'differs'
      process.stderr.write(`${revision} ${scenario}: ${ends[scenario]}, ${checks.length} checks\n`)
      if (!isGood && CLIENT_DIFFERENCES[scenario] === undefined)
        process.stderr.write(`${JSON.stringify(failed, null, 1)}\n${text.slice(-1500)}\n`)
    }
    const expected = Object.keys(ends).map((name) => [
      name,
      CLIENT_DIFFERENCES[name] === undefined ? 'passed' : 'differs',
    ])
    expect(ends).toEqual(Object.fromEntries(expected))
  })
})
