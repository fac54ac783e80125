/** A list's query as the table takes it. */
import type { Rows } from "./table-props.ts";

/** Of a query's result, what the table reads beside the rows. */
interface QueryState {
  error: unknown;
  isFetching: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
}

/**
 * @param rows undefined while nothing was loaded
 * @example const query = useQuery({ ...tokensQuery(list), placeholderData: keepPreviousData });
 *          <DataTable data={queryRows(query, query.data?.items, query.data?.total ?? 0)} … />
 */
export const queryRows = <Row>(
  { error, isFetching, isPlaceholderData, refetch }: QueryState,
  rows: readonly Row[] | undefined,
  total: number,
): Rows<Row> => ({ rows, total, error, isFetching, isOld: isPlaceholderData, refetch });
