import { describe, expect, it } from 'vitest'
import { MOST_ADDRESS_CHARS, readWebAddress } from '../../../src/core/web/web-address.ts'
import { closedHost, isListedOrigin, readOriginPattern } from '../../../src/policy/gates/origin-pattern.ts'
import { addressOf } from '../../policy/sample-facts.ts'

describe('an address on the web', () => {
  it.for([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com:443/A/../b?q=1#part', 'https://example.com/b?q=1'],
    ['https://example.com./x', 'https://example.com/x'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['http://0177.0.0.1/', 'http://127.0.0.1/'],
    ['http://１２７.0.0.1/', 'http://127.0.0.1/'],
    ['http://[::FFFF:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
    ['http://example.com/%0d%0aX-Evil:1', 'http://example.com/%0d%0aX-Evil:1'],
  ] as const)('%s is read as %s', ([text, href]) => {
    expect(addressOf(text).href).toBe(href)
  })

  it.for([
    ['file:///etc/passwd', 'only http and https'],
    ['ftp://example.com/', 'only http and https'],
    ['javascript:alert(1)', 'only http and https'],
    ['data:text/html,x', 'only http and https'],
    ['example.com/page', 'not a complete URL'],
    ['//example.com/page', 'not a complete URL'],
    ['https://', 'not a complete URL'],
    ['https://ada:secret@example.com/', 'user name or password'],
    ['https://ada@example.com/', 'user name or password'],
    ['https://example.com/a b', 'a blank, a backslash or a control character'],
    ['https://example.com/\r\nHost: evil', 'a blank, a backslash or a control character'],
    ['https:\\\\example.com\\', 'a blank, a backslash or a control character'],
    ['https://exam\tple.com/', 'a blank, a backslash or a control character'],
    ['https://example..com/', 'not a valid name'],
    ['https://example.com../', 'not a valid name'],
    ['https://example.com:22/', 'port 22 belongs to another protocol'],
    ['https://example.com:25/', 'port 25 belongs to another protocol'],
    ['https://example.com:0/', 'port 0 belongs to another protocol'],
    ['https://example.com:6379/', 'port 6379 belongs to another protocol'],
    ['https://example.com:65536/', 'not a complete URL'],
    [`https://example.com/${'a'.repeat(MOST_ADDRESS_CHARS)}`, 'characters'],
  ] as const)('%s is not fetched: %s', ([text, why]) => {
    expect(readWebAddress(text)).toMatchObject({ ok: false, why: expect.stringContaining(why) })
  })

  it.for([
    ['https://example.com', 'https://example.com/a', true],
    ['https://example.com', 'http://example.com/a', false],
    ['https://example.com', 'https://example.com:8443/', false],
    ['https://example.com:8443', 'https://example.com:8443/', true],
    ['example.com', 'http://example.com:8080/', true],
    ['example.com', 'https://www.example.com/', false],
    ['example.com', 'https://example.com.evil.test/', false],
    ['EXAMPLE.com', 'https://example.com./', true],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://badexample.com/', false],
    ['https://*.example.com', 'http://a.example.com/', false],
    ['*.0.0.1', 'http://127.0.0.1/', false],
    ['127.1', 'http://0x7f000001:8080/', true],
    ['127.0.0.1:8080', 'http://127.0.0.1:8081/', false],
    ['[::1]:8080', 'http://[0:0::1]:8080/', true],
    ['*', 'http://anything.test:8080/', true],
    ['https://example.com/path', 'https://example.com/path', false],
  ] as const)('%s stands for %s: %s', ([entry, address, isListed]) => {
    expect(isListedOrigin([entry], addressOf(address))).toBe(isListed)
  })

  it.for(['', 'https://', 'a b', 'https://example.com/', '*.*', 'exa*mple.com', 'x:99999', 'ftp://x', 'u@x'])(
    '%s stands for no origin',
    (entry) => {
      expect(readOriginPattern(entry)).toBeNull()
    },
  )

  it('that is off the public internet is known without a look-up where its host says so', () => {
    for (const text of [
      'http://127.1/',
      'http://localhost/',
      'http://a.localhost/',
      'http://[::]/',
      'http://[fe80::1]/',
    ])
      expect([text, closedHost(addressOf(text))]).not.toEqual([text, null])
    expect(closedHost(addressOf('http://1.1.1.1/'))).toBeNull()
    expect(closedHost(addressOf('http://localhost.example.com/'))).toBeNull()
  })
})
