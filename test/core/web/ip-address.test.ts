import { BlockList, isIP } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closedUse, isIpAddress, isSameAddress } from '../../../src/core/web/ip-address.ts'
import { roundsOf } from '../../harness/long-run.ts'

describe('an IP address', () => {
  it.for([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['10.255.255.255', 'private'],
    ['100.64.0.1', 'shared by customers of a provider'],
    ['100.127.255.255', 'shared by customers of a provider'],
    ['127.0.0.1', 'loopback'],
    ['127.255.0.9', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.1', 'reserved'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'reserved'],
    ['198.19.255.255', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.250', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::ffff:127.0.0.1', 'an IPv4 address in disguise'],
    ['::ffff:8.8.8.8', 'an IPv4 address in disguise'],
    ['::ffff:7f00:1', 'an IPv4 address in disguise'],
    ['::127.0.0.1', 'reserved'],
    ['64:ff9b::7f00:1', 'translated to IPv4'],
    ['64:ff9b::10.0.0.1', 'translated to IPv4'],
    ['64:ff9b:1::1', 'translated to IPv4'],
    ['2002:7f00:1::', 'an IPv4 address in disguise'],
    ['2001::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['3fff::1', 'reserved'],
    ['fc00::1', 'private'],
    ['fdff::1', 'private'],
    ['fe80::1', 'link-local'],
    ['febf::1', 'link-local'],
    ['fec0::1', 'reserved'],
    ['ff02::1', 'multicast'],
    ['100::1', 'reserved'],
    ['fe80::1%eth0', 'not readable'],
    ['127.1', 'not readable'],
    ['0x7f000001', 'not readable'],
    ['017700000001', 'not readable'],
    ['1.2.3.04', 'not readable'],
    ['1.2.3.256', 'not readable'],
    ['1:2:3:4:5:6:7:8:9', 'not readable'],
    ['1::2::3', 'not readable'],
    ['localhost', 'not readable'],
    ['', 'not readable'],
  ] as const)('%s is not on the public internet: %s', ([address, use]) => {
    expect(closedUse(address)).toBe(use)
  })

  it.for([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2000::1',
    '2001:200::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:830::200e',
  ])('%s is public', (address) => {
    expect(closedUse(address)).toBeNull()
  })

  it('is judged as the block list of Node judges it, whatever its numbers are', () => {
    const list = new BlockList()
    for (const [network, bits] of [
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['192.168.0.0', 16],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 3],
    ] as const)
      list.addSubnet(network, bits, 'ipv4')
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(closedUse(address) !== null).toBe(list.check(address, 'ipv4'))
      }),
      { numRuns: roundsOf(2_000, 200_000) },
    )
  })

  it('is read as Node reads it', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ unit: fc.constantFrom(...'0123456789abf:.') })),
        (text) => {
          expect(isIpAddress(text)).toBe(isIP(text) !== 0)
        },
      ),
      { numRuns: roundsOf(2_000, 200_000) },
    )
  })

  it('is the same in another spelling', () => {
    expect(isSameAddress('::1', '0:0:0:0:0:0:0:1')).toBe(true)
    expect(isSameAddress('::ffff:1.2.3.4', '::ffff:102:304')).toBe(true)
    expect(isSameAddress('1.2.3.4', '::ffff:102:304')).toBe(false)
    expect(isSameAddress('x', 'x')).toBe(false)
  })
})
