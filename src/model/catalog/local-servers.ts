import { isJsonObject } from '../../core/json/value.ts'
import type { Environment } from '../../host/fs/folders.ts'
import { askLoopback } from '../../host/system/loopback.ts'
import { isCount, isLoopback } from './list-models.ts'
import type { ListedModel } from './list-models.ts'

/** A model server on this machine. */
export interface LocalServer {
  readonly name: string
  readonly baseUrl: string
  readonly models: readonly ListedModel[]
}

type Get = (path: string, body?: unknown) => Promise<unknown>

interface LocalKind {
  readonly name: string
  readonly port: number
  /** Its models, or null if what answers is something else. */
  readonly list: (get: Get) => Promise<readonly ListedModel[] | null>
}

/** Servers that people run on their own machine, with their usual ports. */
const KINDS: readonly LocalKind[] = [
  { name: 'Ollama', port: 11_434, list: listOllama },
  { name: 'LM Studio', port: 1_234, list: listLmStudio },
  { name: 'llama.cpp', port: 8_080, list: listLlamaCpp },
  { name: 'vLLM', port: 8_000, list: listVllm },
]

const TIMEOUT_MS = 1_000
const MAX_MODELS = 200

/** How to look for servers. */
export interface LocalSearch {
  readonly env: Environment
  readonly timeoutMs?: number
  /** Other ports than the usual ones, by the name of the server. */
  readonly ports?: Readonly<Record<string, number>>
}

/** Finds the servers that answer on this machine now; asks all at once, on the loopback address only. */
export async function findLocalServers(search: LocalSearch): Promise<readonly LocalServer[]> {
  const found = await Promise.all(KINDS.map((kind) => findServer(kind, search)))
  return found.filter((one) => one !== null)
}

async function findServer(kind: LocalKind, search: LocalSearch): Promise<LocalServer | null> {
  const port = portOf(kind, search)
  const models = await kind.list(getFrom(port, search.timeoutMs ?? TIMEOUT_MS))
  return models === null ? null : { name: kind.name, baseUrl: `http://127.0.0.1:${port}/v1`, models }
}

/**
 * The context window of a model on a local server, or null if nothing there tells. Only the servers above are asked,
 * because others may take such a question for something else.
 */
export async function askContextWindow(
  baseUrl: string,
  name: string,
  search: LocalSearch,
): Promise<number | null> {
  const url = URL.parse(baseUrl)
  if (url === null || url.protocol !== 'http:' || !isLoopback(url.hostname)) return null
  const kind = KINDS.find((one) => portOf(one, search) === Number(url.port))
  if (kind === undefined) return null
  const get = getFrom(Number(url.port), search.timeoutMs ?? TIMEOUT_MS)
  if (kind.list === listOllama) return showOllama(get, name)
  return (await kind.list(get))?.find(({ spec }) => spec === specOf(name))?.contextTokens ?? null
}

function getFrom(port: number, timeoutMs: number): Get {
  return async (path, body) => {
    const answer = await askLoopback({ port, path, timeoutMs, ...(body === undefined ? {} : { body }) })
    return answer !== null && answer.status === 200 ? answer.json : undefined
  }
}

function portOf(kind: LocalKind, { ports, env }: LocalSearch): number {
  return ports?.[kind.name] ?? ownPort(kind, env) ?? kind.port
}

/** Ollama's own variable for its address; an address that is not on this machine does not count. */
function ownPort({ name }: LocalKind, env: Environment): number | null {
  const given = name === 'Ollama' ? (env['OLLAMA_HOST'] ?? '').trim() : ''
  if (given === '') return null
  const url = URL.parse(/^https?:\/\//.test(given) ? given : `http://${given}`)
  if (url === null || url.protocol !== 'http:') return null
  return isLoopback(url.hostname) && url.port !== '' ? Number(url.port) : null
}

function specOf(name: string): string {
  return `compatible/${name}`
}

/** The rows of a list that have a name. */
function rowsOf(json: unknown, key: 'data' | 'models', nameKey: string): readonly Named[] | null {
  const rows = isJsonObject(json) ? json[key] : undefined
  if (!Array.isArray(rows)) return null
  return rows.slice(0, MAX_MODELS).flatMap((row: unknown) => {
    const name = isJsonObject(row) ? row[nameKey] : undefined
    if (!isJsonObject(row) || typeof name !== 'string' || !/^[^\s\p{Cc}]{1,200}$/u.test(name)) return []
    return [{ name, row }]
  })
}

interface Named {
  readonly name: string
  readonly row: Readonly<Record<string, unknown>>
}

const countOf = (...values: readonly unknown[]): number | null => values.find(isCount) ?? null

const isEmbedding = ({ name, row }: Named): boolean =>
  row['type'] === 'embeddings' || /(?:^|[-_/])(?:embed|bge-)|embed/i.test(name)

async function listOllama(get: Get): Promise<readonly ListedModel[] | null> {
  const rows = rowsOf(await get('/api/tags'), 'models', 'name')
  if (rows === null) return null
  return Promise.all(
    rows
      .filter((row) => !isEmbedding(row))
      .map(async ({ name }) => ({ spec: specOf(name), contextTokens: await showOllama(get, name) })),
  )
}

/** What the model was made or loaded with, else the most that it can do. */
async function showOllama(get: Get, name: string): Promise<number | null> {
  const shown = await get('/api/show', { model: name })
  if (!isJsonObject(shown)) return null
  const { parameters, model_info: info } = shown
  const set = /^[ \t]*num_ctx[ \t]+(\d{1,9})[ \t]*$/m.exec(
    typeof parameters === 'string' ? parameters : '',
  )?.[1]
  if (set !== undefined) return countOf(Number(set))
  const running = rowsOf(await get('/api/ps'), 'models', 'name')?.find((one) => one.name === name)
  const most = isJsonObject(info)
    ? Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1]
    : null
  return countOf(running?.row['context_length'], most)
}

async function listLmStudio(get: Get): Promise<readonly ListedModel[] | null> {
  const rows =
    rowsOf(await get('/api/v0/models'), 'data', 'id') ?? rowsOf(await get('/v1/models'), 'data', 'id')
  if (rows === null) return null
  return rows
    .filter((row) => !isEmbedding(row))
    .map(({ name, row }) => ({
      spec: specOf(name),
      contextTokens: countOf(row['loaded_context_length'], row['max_context_length'], row['max_model_len']),
    }))
}

async function listLlamaCpp(get: Get): Promise<readonly ListedModel[] | null> {
  const rows = rowsOf(await get('/v1/models'), 'data', 'id')
  if (rows === null) return null
  const props = await get('/props')
  const used = isJsonObject(props) ? props['default_generation_settings'] : null
  const loaded = isJsonObject(used) ? used['n_ctx'] : isJsonObject(props) ? props['n_ctx'] : null
  return rows.map(({ name, row }) => {
    const meta = isJsonObject(row['meta']) ? row['meta'] : {}
    const contextTokens = countOf(loaded, row['max_model_len'], meta['n_ctx_train'])
    return { spec: specOf(name), contextTokens }
  })
}

async function listVllm(get: Get): Promise<readonly ListedModel[] | null> {
  const rows = rowsOf(await get('/v1/models'), 'data', 'id')
  return (
    rows?.map(({ name, row }) => ({ spec: specOf(name), contextTokens: countOf(row['max_model_len']) })) ??
    null
  )
}
