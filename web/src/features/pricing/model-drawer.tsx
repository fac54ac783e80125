/** One model's prices beside the list, without leaving it; the model's page has them too, with everything else. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { CopyButton } from "../../ui/display/copy.tsx";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { SideDrawer } from "../../ui/form/form-drawer.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import type { PriceRow, PriceView } from "./model/price-list.ts";
import {
  CallLine,
  Facts,
  GroupTable,
  LikeText,
  PartTable,
  TierTable,
  TryLink,
  useAvailability,
} from "./price-tables.tsx";
import styles from "./price-tables.module.css";
import type { GroupChoice } from "./view.ts";

export function ModelDrawer({
  row,
  view,
  groups,
  onClose,
}: {
  row: PriceRow;
  view: PriceView;
  groups: readonly GroupChoice[];
  onClose: () => void;
}) {
  const { t } = useTranslation("pricing");
  return (
    <SideDrawer
      isOpen
      onClose={onClose}
      title={visible(row.name)}
      mark={<ModelMark model={row.name} size={24} />}
      headActions={<CopyButton text={row.name} label={t("copyName")} />}
    >
      <div className={styles.head}>
        <p className={styles.availability}>{useAvailability({ row, view })}</p>
        <div className={styles.acts}>
          <Link {...buttonLook()} to="/models/$name" params={{ name: row.name }} search={{ group: view.group }}>
            {t("openPage")}
          </Link>
          <TryLink row={row} view={view} />
        </div>
      </div>
      <Facts row={row} />
      <CallLine row={row} />
      {row.price.kind === "tokens" && (
        <>
          <PartTable row={row} view={view} />
          <LikeText row={row} />
          <TierTable row={row} view={view} />
        </>
      )}
      {row.entry.enable_groups.length > 0 && <GroupTable row={row} view={view} groups={groups} />}
    </SideDrawer>
  );
}
