/** Addresses of gateways that serve every client's format at its own path with one key: what the providers new-api and sub2api share. */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "./provider.ts";

/** The version of Anthropic's API that requests of other formats are written for (platform.claude.com/docs/en/api/versioning). */
const MESSAGES_VERSION = "2023-06-01";

/**
 * Every format at its own path behind one address, with the key as a bearer token at each (middleware/auth.go of github.com/QuantumNous/new-api,
 * backend/internal/server/middleware/api_key_auth.go and api_key_auth_google.go of github.com/Wei-Shaw/sub2api).
 */
export function gatewayEndpoint({ baseUrl, key }: ProviderChannel, call: ProviderCall): ProviderRequest {
  const base = baseUrl.replace(/(?:\/v1(?:beta)?)?\/*$/, "");
  const version = call.dialect === "anthropic-messages" ? { "anthropic-version": MESSAGES_VERSION } : {};
  const headers = Object.entries({ ...version, ...call.headers }).flat();
  const path = call.operation === "models" ? "/v1/models" : call.path;
  return { url: base + path, headers: ["authorization", `Bearer ${key}`, ...headers] };
}
