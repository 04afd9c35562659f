import { describe, expect, it } from 'vitest'
import { answeredFetch } from '../../src/servers/answered-fetch.ts'
import { readServerFrame } from '../../src/servers/read-server-frame.ts'

const DEEP = `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`
const listing = (...tools: readonly string[]): string =>
  `{"jsonrpc":"2.0","id":1,"result":{"tools":[${tools.join()}]}}`

describe('a listing with a tool that cannot be read', () => {
  it.each([
    ['is too deep', `{"name":"bad","inputSchema":${DEEP}}`],
    ['has a key twice', '{"name":"bad","inputSchema":{},"inputSchema":{"type":"object"}}'],
    ['has a prototype', '{"name":"bad","inputSchema":{"__proto__":{}}}'],
    ['has a number that would be rounded', '{"name":"bad","inputSchema":{"maximum":18446744073709551615}}'],
  ])('keeps the others if it %s', (_what, bad) => {
    const frame = readServerFrame(listing('{"name":"one"}', bad, '{"name":"two"}'))
    expect(frame).toMatchObject({
      ok: true,
      message: {
        result: {
          tools: [{ name: 'one' }, { name: 'bad', 'tongs/taken-out': expect.any(String) }, { name: 'two' }],
        },
      },
    })
    expect(JSON.stringify(frame)).not.toContain('inputSchema"')
  })

  it.each([
    ['the list itself is there twice', '{"jsonrpc":"2.0","id":1,"result":{"tools":[],"tools":[{}]}}'],
    ['something beside the tools is too deep', `{"jsonrpc":"2.0","id":1,"result":{"tools":[],"x":${DEEP}}}`],
    ['the id is there twice', '{"jsonrpc":"2.0","id":1,"id":2,"result":{"tools":[]}}'],
    ['it is no listing', `{"jsonrpc":"2.0","id":1,"result":{"content":[${DEEP}]}}`],
    ['it is a question', `{"jsonrpc":"2.0","id":1,"method":"x","params":{"tools":[${DEEP}]}}`],
  ])('is no message if %s', (_what, text) => {
    expect(readServerFrame(text).ok).toBe(false)
  })

  it('reaches the client over HTTP without it, whole or as an event', async () => {
    const text = listing('{"name":"one"}', `{"name":"bad","inputSchema":${DEEP}}`)
    const init = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }
    for (const [type, body] of [
      ['application/json', text],
      ['text/event-stream', `data: ${text}\n\n`],
    ] as const) {
      const send = answeredFetch(() =>
        Promise.resolve(new Response(body, { headers: { 'content-type': type } })),
      )
      const received = await (await send('http://localhost/mcp', init)).text()
      expect(received).toContain('"name":"one"')
      expect(received).not.toContain('"inputSchema"')
    }
  })
})
