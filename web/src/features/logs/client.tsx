/** Names of calling programs, as the page that connects them has them. Loaded when one is shown: the table of programs is long. */
import { programOf, PROGRAMS } from "../../../../contract/src/connect/programs.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { ChoiceFilter } from "../../ui/data-table/filters.tsx";

/** A program of another version keeps its id. */
export const ClientName = ({ id }: { id: string }) => programOf(id)?.title ?? visible(id);

/** Those that their calls name. */
const CHOICES = PROGRAMS.filter(({ userAgent }) => userAgent !== undefined).map(({ id, title }) => ({
  value: id,
  text: title,
}));

interface ClientFilterProps {
  value: string | undefined;
  onChange: (client: string | undefined) => void;
}

/** The log's filter by program; `undefined` for every program. */
export function ClientFilter({ value, onChange }: ClientFilterProps) {
  const { t } = useTranslation("logs");
  return <ChoiceFilter label={t("filter.client")} choices={CHOICES} value={value} onChange={onChange} />;
}
