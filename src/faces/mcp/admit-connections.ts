import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Connections of clients that have the token. */
const MOST_KNOWN = 64
/** Those that have not shown it yet; one more, and the oldest of them has to go. */
const MOST_UNKNOWN = 16
/** How long one has to show the token. */
const UNKNOWN_MS = 3_000

/** Which connections have shown the token. */
export interface Admission {
  /** Counts a connection as that of a client; false if there are too many of them. */
  readonly admit: (socket: Socket) => boolean
}

/**
 * Keeps connections without a token from taking the place of clients: they have a small share and a short time, and give
 * way to the next one, which may be a client.
 */
export function admitConnections(server: Server): Admission {
  const known = new Set<Socket>()
  /** Oldest first. */
  const unknown = new Map<Socket, NodeJS.Timeout>()

  function leave(socket: Socket): void {
    clearTimeout(unknown.get(socket))
    unknown.delete(socket)
    known.delete(socket)
  }

  // Those that have to go are counted until they are gone.
  server.maxConnections = MOST_KNOWN + 4 * MOST_UNKNOWN
  server.on('connection', (socket) => {
    unknown.set(
      socket,
      setTimeout(() => socket.destroy(), UNKNOWN_MS),
    )
    socket.once('close', () => leave(socket))
    const [oldest] = unknown.keys()
    if (unknown.size <= MOST_UNKNOWN || oldest === undefined) return
    leave(oldest)
    oldest.destroy()
  })
  return {
    admit(socket) {
      if (known.has(socket)) return true
      if (known.size >= MOST_KNOWN) return false
      leave(socket)
      known.add(socket)
      return true
    },
  }
}
