import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Connections of clients that have the token. */
const MOST_KNOWN = 64
/** Those that have not shown it yet; one more, and the oldest of them has to go. */
const MOST_UNKNOWN = 16
/** How long one has to show the token. */
const UNKNOWN_MS = 3_000

/** Which connections have shown the token, and what they are at. */
export interface Admission {
  /** Counts a connection as that of a client, which sends a request; false if there are too many of them. */
  readonly admit: (socket: Socket) => boolean
  /** The request has arrived as a whole, and is worked on. */
  readonly noteReceived: (socket: Socket) => void
  /** The request has been answered, or has failed. */
  readonly noteAnswered: (socket: Socket) => void
}

/** What a client is at: its request comes in, is worked on, or there is none. */
type Client = 'sending' | 'waiting' | 'resting'

/**
 * Keeps connections without a token from taking the place of clients: they have a small share and a short time, and give
 * way to the next one, which may be a client. Among clients, one that does not get on with its request, or has none, gives
 * way if there are too many; one that waits for an answer never does.
 */
export function admitConnections(server: Server): Admission {
  /** Those that have been in their state for longest come first. */
  const known = new Map<Socket, Client>()
  /** Oldest first. */
  const unknown = new Map<Socket, NodeJS.Timeout>()

  function leave(socket: Socket): void {
    clearTimeout(unknown.get(socket))
    unknown.delete(socket)
    known.delete(socket)
  }

  function note(socket: Socket, client: Client): void {
    if (known.delete(socket)) known.set(socket, client)
  }

  function makeRoom(): boolean {
    if (known.size < MOST_KNOWN) return true
    const clients = [...known]
    const [gone] =
      clients.find(([, client]) => client === 'sending') ??
      clients.find(([, client]) => client === 'resting') ??
      []
    if (gone === undefined) return false
    leave(gone)
    gone.destroy()
    return true
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
      if (!known.has(socket) && !makeRoom()) return false
      leave(socket)
      known.set(socket, 'sending')
      return true
    },
    noteReceived: (socket) => note(socket, 'waiting'),
    noteAnswered: (socket) => note(socket, 'resting'),
  }
}
