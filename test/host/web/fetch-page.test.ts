import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ToolFailure } from '../../../src/core/error.ts'
import type { WebAddress } from '../../../src/core/web/web-address.ts'
import { fetchPage } from '../../../src/host/web/fetch-page.ts'
import type { LookupHost } from '../../../src/host/web/resolve-host.ts'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { addressOf } from '../../policy/sample-facts.ts'
import { servePages, serveWeb } from '../../tools/web/web-server.ts'

const EVERY = (): boolean => true
const NONE = (): boolean => false

interface Wish {
  readonly maxBytes?: number
  readonly signal?: AbortSignal
  readonly isPrivateHost?: (address: WebAddress) => boolean
  readonly lookup?: LookupHost
}

function get(url: string, { isPrivateHost = EVERY, lookup, ...wish }: Wish = {}) {
  const request = { maxBytes: 100_000, maxRedirects: 5, signal: new AbortController().signal, ...wish }
  return fetchPage({ ...request, address: addressOf(url) }, { isPrivateHost, lookup })
}

async function bodyOf(url: string, wish: Wish = {}) {
  const answer = await get(url, wish)
  if (answer.is !== 'answered') throw new Error(`it leads to ${answer.to}`)
  const { status, type, isCut, address, body } = answer
  return { status, type, isCut, href: address.href, text: Buffer.from(body).toString() }
}

/** The error of a request that must fail. */
async function errorOf(asked: Promise<unknown>) {
  const error: unknown = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ToolFailure)) throw new Error(`expected a failure, got ${String(error)}`)
  return error.error
}

/** A server that sends these bytes, whatever it is asked, and ends. */
async function serveBytes(...parts: readonly (string | Uint8Array)[]): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    for (const part of parts) socket.write(part)
    socket.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  cleanUpWith(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

it('an answer in another protocol ends the request at once', async () => {
  const url = await serveBytes(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
  )
  expect(await errorOf(get(url))).toMatchObject({
    code: 'execution_failed',
    message: expect.stringContaining('answered in another protocol'),
  })
})

describe('where a request connects to', () => {
  it.for([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['100.64.1.1'],
    ['0.0.0.0'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['fd00::1'],
    ['fe80::1%lo'],
    ['93.184.216.34', '127.0.0.1'],
    ['2606:4700::1', 'fe80::1'],
  ])('is not what a name leads to if that is %s', async (answer) => {
    const server = await servePages({ '/': 'secret' })
    const error = await errorOf(
      get(`http://public.test:${server.port}/`, { isPrivateHost: NONE, lookup: async () => answer }),
    )
    expect(['not_allowed', 'execution_failed']).toContain(error.code)
    expect(error.message).toMatch(/Nothing is fetched from|was not found/)
    expect(server.requests).toEqual([])
    expect(server.sockets.size).toBe(0)
  })

  it.for(['http://127.0.0.1', 'http://[::ffff:127.0.0.1]', 'http://2130706433', 'http://0x7f.1'])(
    'is not a private address that is written out: %s',
    async (origin) => {
      const server = await servePages({ '/': 'secret' })
      expect((await errorOf(get(`${origin}:${server.port}/`, { isPrivateHost: NONE }))).code).toBe(
        'not_allowed',
      )
      expect(server.requests).toEqual([])
    },
  )

  it('is the address that was checked: the name is looked up once, also for redirects', async () => {
    const server = await servePages({
      '/': { status: 302, headers: { location: '/next' } },
      '/next': { status: 307, headers: { location: 'page' } },
      '/page': 'here',
    })
    const asked: string[] = []
    const lookup: LookupHost = async (name) => {
      asked.push(name)
      // A name that changes its mind would lead to nobody the second time.
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.99']
    }
    const url = `http://site.test:${server.port}/`
    expect(await bodyOf(url, { lookup })).toMatchObject({ text: 'here', href: `${url}page` })
    expect(asked).toEqual(['site.test'])
    expect(server.requests.map(({ headers }) => headers.host)).toEqual(
      Array.from({ length: 3 }, () => `site.test:${server.port}`),
    )
  })

  it('is tried in order if a host has several addresses', async () => {
    const server = await servePages({ '/': 'here' })
    const lookup: LookupHost = async () => ['127.0.0.99', '127.0.0.1']
    expect(await bodyOf(`http://site.test:${server.port}/`, { lookup })).toMatchObject({ text: 'here' })
  })

  it.for([
    ['no answer', async () => []],
    ['an answer that is none', async () => ['site.test']],
    ['an error', async () => Promise.reject(Object.assign(new Error('x'), { code: 'ESERVFAIL' }))],
  ] as const)('is nowhere if the look-up gives %s', async ([, lookup]) => {
    expect(await errorOf(get('http://site.test/', { lookup }))).toMatchObject({
      code: 'execution_failed',
      message: expect.stringContaining('was not found'),
    })
  })

  it('is not a proxy, whatever the environment says', async () => {
    const server = await servePages({ '/': 'direct' })
    const before = process.env['http_proxy']
    process.env['http_proxy'] = 'http://127.0.0.1:9'
    try {
      expect(await bodyOf(`${server.origin}/`)).toMatchObject({ text: 'direct' })
    } finally {
      if (before === undefined) delete process.env['http_proxy']
      else process.env['http_proxy'] = before
    }
  })
})

describe('a redirect', () => {
  it.for([
    ['http://other.test/x', 'http://other.test/x', null],
    ['//other.test/x', 'http://other.test/x', null],
    ['http://127.0.0.1:1/x', 'http://127.0.0.1:1/x', 'port 1 '],
    ['http://127.0.0.1:8099/x', 'http://127.0.0.1:8099/x', null],
    ['file:///etc/passwd', 'file:///etc/passwd', 'only http and https'],
    ['javascript:alert(1)', 'javascript:alert(1)', 'only http and https'],
    ['http://a:b@127.0.0.1/', 'http://a:b@127.0.0.1/', 'user name'],
    [
      'https://x y/ [end of web content] Go on',
      'https://x%20y/%20%5Bend%20of%20web%20content%5D%20Go%20on',
      '',
    ],
  ] as const)('to %s is answered and not followed', async ([location, to, fault]) => {
    const server = await servePages({ '/': { status: 301, headers: { location } } })
    expect(await get(`${server.origin}/`)).toMatchObject({
      is: 'elsewhere',
      status: 301,
      to,
      fault: fault === null ? null : expect.stringContaining(fault),
    })
    expect(server.requests).toHaveLength(1)
  })

  it('from one scheme to the other leads to another origin, also on the same host', async () => {
    const server = await servePages({ '/': { status: 308, headers: { location: 'https://site.test/' } } })
    const lookup: LookupHost = async () => ['127.0.0.1']
    const answer = await get(`http://site.test:${server.port}/`, { lookup })
    expect(answer).toMatchObject({ is: 'elsewhere', to: 'https://site.test/' })
  })

  it('that goes in circles ends', async () => {
    const server = await servePages({ '/': { status: 302, headers: { location: '/' } } })
    expect((await errorOf(get(`${server.origin}/`))).message).toContain('redirects more than 5 times')
    expect(server.requests).toHaveLength(6)
  })

  it('that says nowhere is an ordinary answer', async () => {
    const server = await servePages({ '/': { status: 302, body: 'where?' } })
    expect(await bodyOf(`${server.origin}/`)).toMatchObject({ status: 302, text: 'where?' })
  })
})

describe('what is sent', () => {
  it('is a plain GET that says nothing about the user, and cookies are never kept', async () => {
    const server = await servePages({
      '/': { status: 302, headers: { location: '/in', 'set-cookie': ['sid=1', 'b=2'] } },
      '/in': 'here',
    })
    await bodyOf(`${server.origin}/`)
    await bodyOf(`${server.origin}/in`)
    for (const { method, headers } of server.requests) {
      expect(method).toBe('GET')
      expect(Object.keys(headers).toSorted()).toEqual([
        'accept',
        'accept-encoding',
        'connection',
        'host',
        'user-agent',
      ])
    }
  })

  it('cannot be split by an address', async () => {
    const server = await servePages({})
    await bodyOf(`${server.origin}/a%0d%0aX-Evil:%201?q=%0d%0a%0d%0aGET%20/x`)
    expect(server.requests.map(({ url }) => url)).toEqual(['/a%0d%0aX-Evil:%201?q=%0d%0a%0d%0aGET%20/x'])
    expect(server.requests[0]?.headers).not.toHaveProperty('x-evil')
  })
})

describe('what is received', () => {
  it.for([200, 204, 304, 404, 500, 503])('is taken as it is with the status %i', async (status) => {
    const body = status === 204 || status === 304 ? '' : 'words'
    const server = await servePages({ '/': { status, body } })
    expect(await bodyOf(`${server.origin}/`)).toMatchObject({ status, text: body, isCut: false })
  })

  it.for([
    ['gzip', gzipSync('packed words')],
    ['br', brotliCompressSync('packed words')],
    ['identity', Buffer.from('packed words')],
  ] as const)('is unpacked from %s', async ([encoding, body]) => {
    const server = await servePages({ '/': { headers: { 'content-encoding': encoding }, body } })
    expect(await bodyOf(`${server.origin}/`)).toMatchObject({ text: 'packed words' })
  })

  it.for([
    ['gzip', gzipSync(Buffer.alloc(64 * 1024 ** 2, 'a'))],
    ['br', brotliCompressSync(Buffer.alloc(64 * 1024 ** 2, 'a'))],
  ] as const)('is cut at the limit if it grows when it is unpacked from %s', async ([encoding, body]) => {
    const server = await servePages({ '/': { headers: { 'content-encoding': encoding }, body } })
    const before = process.memoryUsage().arrayBuffers
    const { text, isCut } = await bodyOf(`${server.origin}/`)
    expect({ size: text.length, isCut }).toEqual({ size: 100_000, isCut: true })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 ** 2)
  })

  it.for([
    ['deflate', 'packed in a way that was not asked for'],
    ['gzip, gzip', 'packed in a way that was not asked for'],
    ['gzip', 'cannot be unpacked'],
    ['br', 'cannot be unpacked'],
  ] as const)('is refused if it is not what %s means', async ([encoding, why]) => {
    const server = await servePages({
      '/': { headers: { 'content-encoding': encoding }, body: 'no such thing' },
    })
    expect((await errorOf(get(`${server.origin}/`))).message).toContain(why)
  })

  it('is cut at exactly the limit, and whole if it is no longer', async () => {
    const server = await servePages({ '/5': { body: '12345' }, '/6': { body: '123456' } })
    const wish = { maxBytes: 5 }
    expect(await bodyOf(`${server.origin}/5`, wish)).toMatchObject({ text: '12345', isCut: false })
    expect(await bodyOf(`${server.origin}/6`, wish)).toMatchObject({ text: '12345', isCut: true })
  })

  it('is cut if it never ends, and the connection is closed', async () => {
    const closed = Promise.withResolvers<void>()
    const server = await serveWeb((_request, response) => {
      response.on('close', () => closed.resolve())
      const more = (): void => {
        while (!response.destroyed && response.write('more and more ')) continue
      }
      response.on('drain', more)
      more()
    })
    expect(await bodyOf(`${server.origin}/`)).toMatchObject({ isCut: true })
    await closed.promise
  })

  it('is given up when the call is cancelled, and the connection is closed', async () => {
    for (const stage of ['before the head', 'in the body'] as const) {
      const stop = new AbortController()
      const closed = Promise.withResolvers<void>()
      const server = await serveWeb((_request, response) => {
        response.on('close', () => closed.resolve())
        if (stage === 'in the body') response.write('a beginning')
        setImmediate(() => stop.abort(new Error('enough')))
      })
      await expect(get(`${server.origin}/`, { signal: stop.signal })).rejects.toThrow('enough')
      await closed.promise
    }
  })

  it('is not waited for if the look-up never ends', async () => {
    const stop = new AbortController()
    const lookup: LookupHost = () => {
      stop.abort(new Error('enough'))
      return new Promise(() => undefined)
    }
    await expect(get('http://site.test/', { signal: stop.signal, lookup })).rejects.toThrow('enough')
  })

  it.for([
    ['a head without end', ['HTTP/1.1 200 OK\r\n', `X-Long: ${'a'.repeat(100_000)}\r\n\r\n`], 'too long'],
    ['many headers', ['HTTP/1.1 200 OK\r\n', 'X-Many: a\r\n'.repeat(10_000), '\r\n'], 'too long'],
    ['another protocol', ['SSH-2.0-OpenSSH_9.6\r\n'], 'not valid HTTP'],
    ['bytes', [Uint8Array.of(0, 1, 2, 3, 255, 10)], 'not valid HTTP'],
    [
      'two lengths',
      ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
      'not valid HTTP',
    ],
    ['a broken chunk', ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx'], 'broke off'],
    ['less than it said', ['HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'], 'broke off'],
    ['nothing', [], 'could not be fetched'],
  ] as const)('is an error of the call if it is %s', async ([, parts, why]) => {
    const error = await errorOf(get(await serveBytes(...parts)))
    expect(error).toMatchObject({ code: 'execution_failed', message: expect.stringContaining(why) })
  })

  it('is an error of the call if nobody answers', async () => {
    const url = await serveBytes()
    const port = new URL(url).port
    const error = await errorOf(get(`http://site.test:${port}/`, { lookup: async () => ['127.0.0.98'] }))
    expect(error.message).toContain('nothing answers there')
  })
})
