import { createServer, request as httpRequest } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { failure } from '../../src/core/error.ts'
import { listen, openServed, TOKEN } from '../faces/mcp/open-client.ts'
import { simpleTool } from '../harness/simple-tool.ts'
import { readRequired } from './required-scenarios.ts'
import { runScenario } from './run-suite.ts'
import { SERVER_DIFFERENCES } from './server-scenarios.ts'

/** The tools that the suite calls, as far as tools of ours can be like them; those that are asked about are external. */
const FIXTURES = [
  simpleTool('test_simple_text', () => ({ said: 'This is a simple text response for testing.' })),
  simpleTool('test_error_handling', () => {
    throw failure('execution_failed', 'This tool intentionally returns an error for testing')
  }),
  ...['elicitation', 'tampered_state', 'request_state'].map((name) =>
    simpleTool(`test_input_required_result_${name}`, () => ({ said: 'done' }), { effect: 'external' }),
  ),
]

/** The suite has no token, so what stands between adds ours; it changes nothing else. */
async function openDoor(target: string): Promise<string> {
  const to = new URL(target)
  const door = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${TOKEN}` }
    const options = { host: to.hostname, port: to.port, path: request.url, method: request.method, headers }
    const inner = httpRequest(options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    inner.on('error', () => response.destroy())
    response.on('close', () => inner.destroy())
    request.pipe(inner)
  }).listen(0, '127.0.0.1')
  await new Promise((done) => door.once('listening', done))
  onTestFinished(() => {
    door.closeAllConnections()
    door.close()
  })
  const address = door.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`
}

describe.each(['2025-11-25', '2026-07-28'])('the official conformance suite in revision %s', (revision) => {
  it('is passed by our server, but for the differences that have a reason', async () => {
    const url = await openDoor(await listen(await openServed({ tools: FIXTURES })))
    const ends: Record<string, string> = {}
    for (const scenario of await readRequired(revision, 'server')) {
      const { checks, text } = await runScenario('server', scenario, revision, ['--url', url])
      const failed = checks.filter(({ status }) => status === 'FAILURE')
      const isGood = failed.length === 0 && checks.length > 0
      ends[scenario] = isGood ? 'passed' : 'differs'
      process.stderr.write(`${revision} ${scenario}: ${ends[scenario]}, ${checks.length} checks\n`)
      if (!isGood && SERVER_DIFFERENCES[scenario] === undefined)
        process.stderr.write(`${JSON.stringify(failed, null, 1)}\n${text.slice(-1500)}\n`)
    }
    const expected = Object.keys(ends).map((name) => [
      name,
      SERVER_DIFFERENCES[name] === undefined ? 'passed' : 'differs',
    ])
    expect(ends).toEqual(Object.fromEntries(expected))
  })
})
