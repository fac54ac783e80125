/** What the channels page shows, kept in the address: filters, page, order, tags; and which drawer is open. */
import { useLocation, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useListState } from "../../ui/data-table/list-state.ts";
import type { ChannelView } from "./queries.ts";

const FILTERS = ["keyword", "status", "group", "model", "type"] as const;

type Search = Record<string, string | undefined>;

export type OpenDrawer = { kind: "none" } | { kind: "add" } | { kind: "edit"; id: number };

function drawerOf(pathname: string, id: string | undefined): OpenDrawer {
  if (id !== undefined) return { kind: "edit", id: Number(id) };
  return pathname.replace(/\/+$/, "") === "/channel/add" ? { kind: "add" } : { kind: "none" };
}

export function useChannelView() {
  const list = useListState(FILTERS);
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const { id } = useParams({ strict: false }) as { id?: string };
  const { pathname } = useLocation();
  const isById = list.sort?.by === "id";
  const isTagMode = search["tags"] === "1";
  const { keyword, status, group, model, type } = list.filters;
  const view: ChannelView = {
    page: list.page,
    size: list.size,
    isById,
    isTagMode,
    keyword,
    status,
    group,
    model,
    type,
  };
  const keep = (change: Search) => ((old: Search) => ({ ...old, ...change })) as unknown as never;
  return {
    list,
    view,
    drawer: drawerOf(pathname, id),
    setById: (isOn: boolean) => list.setSort(isOn ? "id" : undefined),
    setTagMode: (isOn: boolean) =>
      void navigate({ to: ".", replace: true, search: keep({ tags: isOn ? "1" : undefined, p: undefined }) }),
    openAdd: () => void navigate({ to: "/channel/add", search: keep({}) }),
    openEdit: (channelId: number) =>
      void navigate({ to: "/channel/edit/$id", params: { id: String(channelId) }, search: keep({}) }),
    closeDrawer: () => void navigate({ to: "/channel", search: keep({}) }),
  };
}
