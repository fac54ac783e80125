/** What the channels page shows, kept in the address: filters, page, order, tags; and which drawer is open. */
import { useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { useSearchState } from "../../lib/search.ts";
import { useListState } from "../../ui/data-table/list-state.ts";
import type { ChannelView } from "./queries.ts";
import { channelSearch } from "./route.ts";

const FILTERS = ["keyword", "status", "group", "model", "type", "test"] as const;

export type OpenDrawer = { kind: "none" } | { kind: "add" } | { kind: "edit"; id: number };

function drawerOf(pathname: string, id: string | undefined): OpenDrawer {
  if (id !== undefined) return { kind: "edit", id: Number(id) };
  return pathname.replace(/\/+$/, "") === "/channel/add" ? { kind: "add" } : { kind: "none" };
}

export function useChannelView() {
  const list = useListState(FILTERS);
  const [search, change] = useSearchState(channelSearch);
  const navigate = useNavigate();
  const { id } = useParams({ strict: false }) as { id?: string };
  const { pathname } = useLocation();
  const isTagMode = search.tags === "1";
  const { keyword, status, group, model, type, test } = list.filters;
  const { sort } = list;
  const view: ChannelView = {
    page: list.page,
    size: list.size,
    sort: sort && `${sort.isDescending ? "-" : ""}${sort.by}`,
    isTagMode,
    keyword,
    status,
    group,
    model,
    type,
    test,
  };
  return {
    list,
    view,
    isById: sort?.by === "id",
    drawer: drawerOf(pathname, id),
    setById: (isOn: boolean) => list.setSort(isOn ? "-id" : undefined),
    setTagMode: (isOn: boolean) => change({ tags: isOn ? "1" : undefined, p: undefined }),
    openAdd: () => void navigate({ to: "/channel/add", search: true }),
    openEdit: (channelId: number) =>
      void navigate({ to: "/channel/edit/$id", params: { id: String(channelId) }, search: true }),
    closeDrawer: () => void navigate({ to: "/channel", search: true }),
  };
}
