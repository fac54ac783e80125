/** The query client: when data is fetched again, and how failed calls are reported. */
import { MutationCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

/** Called with the error of every failed mutation that does not handle its own error. */
export type ErrorSink = (error: Error) => void;

const isWorthRetrying = (failures: number, error: Error): boolean =>
  failures < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 502);

/**
 * One client for the page. Lists stay for 30 s before they are asked again; a mutation's error goes to `onError`
 * unless it says `meta: { showsOwnError: true }`.
 */
export function createQueryClient(onError: ErrorSink): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // Offline, a call fails at once and says so; waiting would leave the rows of another query on the screen.
      queries: {
        staleTime: 30_000,
        retry: isWorthRetrying,
        refetchOnWindowFocus: false,
        networkMode: "always",
        // Queries that failed offline are repeated when the network is back.
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: "always" },
    },
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        if (mutation.meta?.["showsOwnError"] !== true) onError(error);
      },
    }),
  });
}
