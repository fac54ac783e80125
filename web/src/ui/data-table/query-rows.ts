/** Adapts a list's query to the table's props. */
import type { Rows } from "./table-props.ts";

/** The part of a query's result that the table reads besides the rows. */
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
