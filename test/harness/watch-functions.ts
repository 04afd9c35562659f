import dgram from 'node:dgram'
import dns from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'

type Functions = Record<string, unknown>

/** Reports every use of the functions of an object, with their first argument; they work as before. */
export function watchFunctions(object: object, onUse: (name: string, first: string) => void): void {
  const functions = object as Functions
  for (const name of namesOf(functions)) {
    const original = functions[name] as (...args: readonly unknown[]) => unknown
    const watched = (...args: readonly unknown[]): unknown => {
      onUse(name, String(args[0]))
      return Reflect.apply(original, functions, args)
    }
    functions[name] = Object.assign(watched, original)
  }
}

/** Takes the network from this process: whatever tries it throws, and is reported. */
export function barNetwork(onUse: (name: string) => void): void {
  const bar = (object: object, label: string, names: readonly string[]): void => {
    for (const name of names) {
      ;(object as Functions)[name] = () => {
        onUse(`${label}.${name}`)
        throw new Error('there is no network here')
      }
    }
  }
  bar(net.Socket.prototype, 'socket', ['connect'])
  bar(dns, 'dns', namesOf(dns))
  bar(dns.promises, 'dns.promises', namesOf(dns.promises))
  bar(dgram, 'dgram', ['createSocket'])
  bar(http, 'http', ['request', 'get'])
  bar(https, 'https', ['request', 'get'])
  bar(tls, 'tls', ['connect'])
  bar(globalThis, 'global', ['fetch', 'WebSocket'])
}

function namesOf(functions: object): readonly string[] {
  return Object.entries(functions).flatMap(([name, value]) =>
    typeof value === 'function' && /^[a-z]/.test(name) ? [name] : [],
  )
}
