import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { StoredSignIn } from './stored-sign-in.ts'

/** The issuer that a server names, and the places that its metadata give. */
export interface Places {
  readonly issuer: URL
  readonly page: URL
  readonly tokenEndpoint: URL
  readonly registrationEndpoint: URL
}

/** A sign-in that is under way: all of it is in memory until it has succeeded. */
export class PendingSignIn implements OAuthClientProvider {
  readonly redirectUrl: string
  readonly clientMetadata: OAuthClientMetadata
  readonly #state: string
  readonly #check: (places: Places) => void
  #page: URL | null = null
  #verifier = ''
  #discovery: OAuthDiscoveryState | undefined
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #resource: string | null = null

  /** `check` throws if the places must not be used; nothing was sent to them before. */
  constructor(redirectUrl: string, state: string, check: (places: Places) => void) {
    this.redirectUrl = redirectUrl
    this.#state = state
    this.#check = check
    this.clientMetadata = {
      client_name: 'Tongs',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
    }
  }

  /** Where the user has to sign in. */
  page(): URL {
    if (this.#page === null) throw new Error('it named no page to sign in at')
    return this.#page
  }

  /** Where it takes place; without metadata at the usual places of the issuer. */
  places(): Places {
    const { authorizationServerMetadata: metadata, authorizationServerUrl = '' } = this.#discovery ?? {}
    const place = (named: string | undefined, usual: string): URL =>
      new URL(named ?? new URL(usual, authorizationServerUrl))
    return {
      issuer: new URL(metadata?.issuer ?? authorizationServerUrl),
      page: place(metadata?.authorization_endpoint, '/authorize'),
      tokenEndpoint: place(metadata?.token_endpoint, '/token'),
      registrationEndpoint: place(metadata?.registration_endpoint, '/register'),
    }
  }

  /** What is stored of it. */
  result(): StoredSignIn {
    const [client, tokens, discovery] = [this.#client, this.#tokens, this.#discovery]
    if (client === undefined || tokens === undefined || discovery === undefined)
      throw new Error('it gave no token')
    const { authorizationServerMetadata: metadata, authorizationServerUrl } = discovery
    const method = 'token_endpoint_auth_method' in client ? client.token_endpoint_auth_method : undefined
    return {
      registration: {
        issuer: metadata?.issuer ?? authorizationServerUrl,
        tokenEndpoint: this.places().tokenEndpoint.href,
        authMethods: metadata?.token_endpoint_auth_methods_supported ?? [],
        clientId: client.client_id,
        clientMethod: method ?? null,
        resource: this.#resource,
        scope: this.#page?.searchParams.get('scope') ?? null,
      },
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? null,
      clientSecret: client.client_secret ?? null,
    }
  }

  state(): string {
    return this.#state
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens
  }

  redirectToAuthorization(page: URL): void {
    this.#page = page
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  saveResourceUrl(resource: string): void {
    this.#resource = resource
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery
    this.#check(this.places())
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery
  }
}
