import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keyFile } from '../../../src/host/fs/folders.ts'
import { storeKey } from '../../../src/model/keys/stored-keys.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { readSignIn, storeSignIn } from '../../../src/servers/sign-in/stored-sign-in.ts'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { callIn, serverBench } from '../server-bench.ts'
import type { ServerBench } from '../server-bench.ts'
import { listenOn, openGuarded } from './guarded-server.ts'
import type { GuardedServer, Tricks } from './guarded-server.ts'

/** Gives the test a key file of its own. */
beforeEach(() => {
  const before = process.env['XDG_CONFIG_HOME']
  const folder = mkdtempSync(join(tmpdir(), 'tongs-keys-'))
  process.env['XDG_CONFIG_HOME'] = folder
  return () => {
    process.env['XDG_CONFIG_HOME'] = before
    rmSync(folder, { recursive: true, force: true })
  }
})

/** What a browser does: it goes to the page, and back to where that leads. */
const browse = async (page: URL): Promise<Response> => fetch(page)

/** Signs in; gives up when the way back was not accepted. */
async function signIn(runtime: Runtime, visit: (page: URL) => Promise<Response> = browse): Promise<void> {
  const stop = new AbortController()
  const show = ({ address }: { readonly address: URL }): void =>
    void visit(address).then(
      ({ status }) => (status === 400 ? stop.abort() : undefined),
      () => undefined,
    )
  await runtime.servers.signIn('s', { show, signal: stop.signal })
}

async function openWith(tricks: Tricks = {}): Promise<GuardedServer & { readonly bench: ServerBench }> {
  const server = await openGuarded(tricks)
  return { ...server, bench: serverBench({ url: server.url, effect: 'read' }) }
}

describe('a server that wants a sign-in', () => {
  it('says so in a call and in the list, and is used once the user has signed in', async () => {
    const { bench, good } = await openWith()
    const before = await bench.open()
    const refused = await before.servers.inspect('s').catch((error: Error) => error)
    expect(String(refused)).toContain('wants the user to sign in')
    expect(before.servers.list()).toMatchObject([
      { lastError: 'it wants you to sign in; run tongs mcp login s', isSignedIn: false },
    ])
    await signIn(before)
    expect(before.servers.list()).toMatchObject([{ lastError: null, isSignedIn: true }])
    const runtime = await bench.openTrusted()
    expect(outputOf(await callIn(runtime, 's__echo', { value: 'hello' }))).toEqual({ text: 'hello' })
    good.clear()
    expect(await runtime.servers.signOut('s')).toBe(true)
    const error = errorOf(await callIn(runtime, 's__echo', { value: 'again' }))
    expect(error.recovery.join()).toContain('tongs mcp login s')
    expect(await runtime.servers.signOut('s')).toBe(false)
  })

  it('keeps the tokens in the key file of the user alone, beside the keys, and no result shows one', async () => {
    const { bench, issued } = await openWith()
    const file = keyFile(process.env)
    storeKey(file, 'openai', 'a-key-of-another')
    await signIn(await bench.open())
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    expect(stored['openai']).toBe('a-key-of-another')
    expect(Object.values(stored)).toEqual(expect.arrayContaining(issued))
    const runtime = await bench.openTrusted({ config: { 'secrets.to_model': 'deny' } })
    for (const token of issued) {
      const result = await callIn(runtime, 's__echo', { value: token }, { origin: 'model' })
      expect(result.content).not.toContain(token)
    }
    expect(JSON.stringify(runtime.servers.list())).not.toContain(issued[0])
  })

  it('cannot have a common word hidden everywhere by issuing it as its token', async () => {
    const { bench, url } = await openWith()
    await signIn(await bench.open())
    const file = keyFile(process.env)
    const signedIn = readSignIn(file, url)
    if (signedIn === null) throw new Error('there is no sign-in')
    const runtime = await bench.openTrusted({ config: { 'secrets.to_model': 'deny' } })
    const words = ['return', 'function', 'package.json', 'application/json', 'THE SOFTWARE IS PROVIDED']
    const secrets = ['k7Qz2', 'mXv9RtLq'].map((one) => one.repeat(4))
    const text = [...words, ...secrets].join(', ')
    const answered: string[] = []
    for (const token of [...words, ...secrets]) {
      // The access token stays: without it the server would answer nothing.
      storeSignIn(file, url, { ...signedIn, refreshToken: token })
      const { content } = await callIn(runtime, 's__echo', { value: text }, { origin: 'model' })
      if (!content.includes(token)) answered.push(token)
    }
    expect(answered).toEqual(secrets)
  })

  it('has an expired token renewed where the user signed in, once for calls at the same time', async () => {
    const { bench, good, seen, issued } = await openWith()
    await signIn(await bench.open())
    const runtime = await bench.openTrusted()
    await callIn(runtime, 's__echo', { value: 'a' })
    good.clear()
    seen.length = 0
    const calls = ['b', 'c'].map((value, index) => ({ id: `p${index}`, name: 's__echo', args: { value } }))
    const results = await runtime.run(calls)
    expect(results.map((result) => outputOf(result))).toEqual([{ text: 'b' }, { text: 'c' }])
    expect(seen.filter(({ path }) => path === '/token')).toHaveLength(1)
    expect(seen.filter(({ path }) => path.startsWith('/.well-known'))).toEqual([])
    expect(issued).toHaveLength(4)
  })

  it('has a token renewed by one process, while the other ones wait for the new one', async () => {
    const refused = (): number => seen.filter(({ path }) => path === '/mcp').length
    // Both have been refused by then, and what asks without waiting has had time to.
    const beforeRenewing = () => vi.waitFor(() => expect(refused()).toBe(2)).then(() => sleep(100))
    const { bench, good, seen } = await openWith({ beforeRenewing })
    await signIn(await bench.open())
    const [one, other] = [await bench.openTrusted(), await bench.openTrusted()]
    await callIn(one, 's__echo', { value: 'a' }, { session: 'one' })
    await callIn(other, 's__echo', { value: 'a' }, { session: 'other' })
    good.clear()
    seen.length = 0
    const calls = [one, other].map((runtime, index) =>
      callIn(runtime, 's__echo', { value: 'b' }, { session: ['one', 'other'][index] ?? '' }),
    )
    expect((await Promise.all(calls)).map((result) => outputOf(result))).toEqual([
      { text: 'b' },
      { text: 'b' },
    ])
    expect(seen.filter(({ path }) => path === '/token')).toHaveLength(1)
  })

  it('stays signed out if the user signs out while a token is renewed', async () => {
    let signOut: (() => Promise<unknown>) | null = null
    const { bench, good, url } = await openWith({ beforeRenewing: async () => signOut?.() })
    await signIn(await bench.open())
    const runtime = await bench.openTrusted()
    await callIn(runtime, 's__echo', { value: 'a' })
    good.clear()
    signOut = () => runtime.servers.signOut('s')
    expect(errorOf(await callIn(runtime, 's__echo', { value: 'b' })).recovery.join()).toContain('login s')
    expect(readSignIn(keyFile(process.env), url)).toBeNull()
  })

  it('that gives no way to renew wants the user again when the token has expired', async () => {
    const { bench, good } = await openWith({ noRefresh: true })
    await signIn(await bench.open())
    const runtime = await bench.openTrusted()
    good.clear()
    expect(errorOf(await callIn(runtime, 's__echo', { value: 'a' })).message).toContain('sign in')
  })

  it('that wants more for a call is asked for that at the next sign-in', async () => {
    const { bench } = await openWith({ scopeOfCalls: 'write' })
    await signIn(await bench.open())
    const runtime = await bench.openTrusted()
    expect(errorOf(await callIn(runtime, 's__echo', { value: 'a' })).recovery.join()).toContain('login s')
    let asked = ''
    await signIn(runtime, (page) => {
      asked = page.searchParams.get('scope') ?? ''
      return browse(page)
    })
    expect(asked).toBe('write')
    expect(outputOf(await callIn(runtime, 's__echo', { value: 'a' }))).toEqual({ text: 'a' })
  })

  it('that wants something else for each call cannot fill the key file, so that no key could be used', async () => {
    let next = 0
    const wish = (): string => `scope${(next += 1)}-`.padEnd(1900, 'x')
    const { bench, url } = await openWith({ scopeOfNextCall: wish })
    const file = keyFile(process.env)
    storeKey(file, 'openai', 'a-key-of-another')
    await signIn(await bench.open())
    const runtime = await bench.openTrusted()
    for (let call = 0; call < 8; call++) await callIn(runtime, 's__echo', { value: `${call}` })
    expect(next).toBe(8)
    expect(readSignIn(file, url)?.registration.scope).toContain('scope1-')
    expect(statSync(file).size).toBeLessThan(6_000)
  })

  it('at another address gets nothing of this one', async () => {
    const { bench } = await openWith()
    await signIn(await bench.open())
    const seen: string[] = []
    const other = await listenOn((request, response) => {
      seen.push(request.headers.authorization ?? '')
      response.writeHead(404).end()
    })
    const elsewhere = await serverBench({ url: `${other}/mcp` }).open()
    await expect(elsewhere.servers.inspect('s')).rejects.toThrow(/failed/)
    expect(new Set(seen)).toEqual(new Set(['']))
  })

  it('is not signed in to if its entry has a token, or if it is a program', async () => {
    const { url } = await openGuarded()
    const own = await serverBench({ url, headers: { authorization: 'Bearer x' } }).open()
    await expect(signIn(own)).rejects.toThrow(/has a token in its headers/)
    const program = await serverBench({ command: '/bin/true' }).open()
    await expect(signIn(program)).rejects.toThrow(/is a program/)
  })
})

describe('a hostile sign-in', () => {
  const stored = (): string => {
    try {
      return readFileSync(keyFile(process.env), 'utf8')
    } catch {
      return ''
    }
  }

  it.each<[string, Tricks, RegExp]>([
    ['a way back with another state', { callback: { state: 'forged' } }, /not finished in time/],
    ['a way back without a state', { callback: { state: null } }, /not finished in time/],
    ['the name of another issuer', { metadata: { issuer: 'https://honest.example' } }, /[Ii]ssuer/],
    ['a way back from another issuer', { callback: { iss: 'https://honest.example' } }, /[Ii]ssuer/],
    [
      'a missing issuer that was promised',
      { metadata: { authorization_response_iss_parameter_supported: true } },
      /[Ii]ssuer/,
    ],
    ['tokens for another server', { resource: { resource: 'https://honest.example/mcp' } }, /does not match/],
    [
      'a token endpoint at another place than the issuer',
      { metadata: { token_endpoint: 'http://127.0.0.1:9/token' } },
      /but the token endpoint would be at http:\/\/127.0.0.1:9/,
    ],
    [
      'a page that is not of the web',
      { metadata: { authorization_endpoint: 'file:///etc/passwd' } },
      /failed/,
    ],
    [
      'a page without encryption',
      { metadata: { authorization_endpoint: 'http://a.example/' } },
      /but the page to sign in at would be at http:\/\/a\.example/,
    ],
    [
      'a token endpoint without encryption',
      { metadata: { token_endpoint: 'http://a.example/' } },
      /but the token endpoint would be at/,
    ],
    [
      'registering elsewhere without encryption',
      { metadata: { registration_endpoint: 'http://a.example/' } },
      /but the registration endpoint would be at/,
    ],
    [
      'metadata at a place without encryption',
      { resource: { authorization_servers: ['http://a.example'] } },
      /must not/,
    ],
    [
      'a page that looks like that of another party',
      { metadata: { authorization_endpoint: 'http://honest.example:x@ORIGIN/authorize' } },
      /with a user name in it/,
    ],
    ['a token that no header can carry', { token: 'access-1\nx-evil: 1' }, /characters that no token has/],
    ['a token without measure', { token: `access-${'x'.repeat(300_000)}` }, /more than \d+ characters/],
    ['metadata that lead elsewhere', { moved: 'http://127.0.0.1:9/' }, /failed/],
    ['an answer without end', { hugeTokens: true }, /more than \d+ bytes/],
    ['a refusal', { callback: { code: null, error: 'access_denied' } }, /access_denied/],
    [
      'no proof of the code',
      { metadata: { code_challenge_methods_supported: ['plain'] } },
      /code challenge method/,
    ],
  ])('%s stores nothing', async (_what, tricks, says) => {
    const { bench } = await openWith(tricks)
    const runtime = await bench.open()
    await expect(signIn(runtime)).rejects.toThrow(says)
    expect(stored()).not.toContain('access-')
    expect(runtime.servers.list()[0]?.isSignedIn).toBe(false)
  })

  it.each<[string, readonly string[], string]>([
    [
      'with the page and the token endpoint of another party',
      ['authorization_endpoint', 'token_endpoint'],
      'the page to sign in at',
    ],
    ['with the page of another party', ['authorization_endpoint'], 'the page to sign in at'],
    ['with the token endpoint of another party', ['token_endpoint'], 'the token endpoint'],
    [
      'with the registration endpoint of another party',
      ['registration_endpoint'],
      'the registration endpoint',
    ],
  ])('%s is refused before anything is registered', async (_what, fields, named) => {
    const other = await openGuarded()
    const paths = {
      authorization_endpoint: '/authorize',
      token_endpoint: '/token',
      registration_endpoint: '/register',
    }
    const metadata = Object.fromEntries(
      Object.entries(paths).flatMap(([field, path]) =>
        fields.includes(field) ? [[field, other.origin + path]] : [],
      ),
    )
    const { bench, seen, origin } = await openWith({ metadata })
    const error = await signIn(await bench.open()).catch((thrown: Error) => thrown)
    expect(String(error)).toContain(`its issuer is ${origin}, but ${named} would be at ${other.origin}`)
    expect(seen.map(({ path }) => path)).not.toContain('/register')
    expect(other.seen).toEqual([])
    expect(stored()).not.toContain('access-')
  })

  it('metadata with the name and all places of another party are refused before anything is registered', async () => {
    const other = await openGuarded()
    const { bench, seen } = await openWith({
      metadata: {
        issuer: other.origin,
        authorization_endpoint: `${other.origin}/authorize`,
        token_endpoint: `${other.origin}/token`,
        registration_endpoint: `${other.origin}/register`,
      },
    })
    await expect(signIn(await bench.open())).rejects.toThrow(/[Ii]ssuer/)
    expect(seen.map(({ path }) => path)).not.toContain('/register')
    expect(other.seen).toEqual([])
  })

  it('an issuer elsewhere that is asked and answers for all of its places is signed in at', async () => {
    const issuer = await openGuarded()
    const { bench, origin, seen } = await openWith({
      resource: { authorization_servers: [issuer.origin] },
    })
    let shown: unknown
    const runtime = await bench.open()
    const show = (page: { readonly address: URL }): void => {
      shown = page
      void browse(page.address)
    }
    await runtime.servers.signIn('s', { show, signal: new AbortController().signal })
    expect(shown).toMatchObject({ issuer: issuer.origin, server: `${origin}/mcp` })
    expect(seen.map(({ path }) => path)).not.toContain('/register')
    expect(issuer.seen.map(({ path }) => path)).toEqual(expect.arrayContaining(['/register', '/token']))
  })

  it('has its words made safe and cut', async () => {
    const { bench } = await openWith({
      callback: { code: null, error: 'x', error_description: `\u001B[2J${'y'.repeat(5000)}` },
    })
    const error = await signIn(await bench.open()).catch((thrown: Error) => thrown)
    expect(String(error)).not.toContain('\u001B')
    expect(String(error).length).toBeLessThan(700)
  })

  it('the page of this machine shows and follows nothing, and forged requests do not end the wait', async () => {
    const { bench } = await openWith()
    const answers: Response[] = []
    await signIn(await bench.open(), async (page) => {
      const back = new URL(page.searchParams.get('redirect_uri') ?? '')
      const state = page.searchParams.get('state') ?? ''
      for (const [path, init] of [
        ['/callback?code=evil&state=forged', {}],
        [`/callback?code=evil&state=${state}&state=forged`, {}],
        [`/callback?code=evil&state=${state}`, { method: 'POST' }],
        [`/other?code=evil&state=${state}`, {}],
        ['//evil.example/callback', {}],
      ] as const)
        answers.push(await fetch(`${back.origin}${path}`, { ...init, redirect: 'manual' }))
      const rebound = await fetch(`${back.origin.replace('127.0.0.1', 'localhost')}/callback?state=${state}`)
      answers.push(rebound)
      return browse(page)
    })
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
    expect(answers).toHaveLength(6)
    for (const answer of answers) expect(await answer.text()).not.toContain('evil')
  })
})
