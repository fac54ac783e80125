/** A channel by mark, number and name, as the link to its drawer. */
import { Link } from "@tanstack/react-router";
import { visible } from "../../lib/names.ts";
import { Name } from "../../ui/display/name.tsx";
import { ProviderMark } from "../../ui/display/provider-mark.tsx";
import styles from "./routing.module.css";

export const ChannelName = ({ id, name, type }: { id: number; name: string; type?: number }) => (
  <>
    {type !== undefined && <ProviderMark type={type} size={16} />}
    <Link to="/channel/edit/$id" params={{ id: String(id) }} className={styles.link ?? ""} title={visible(name)}>
      #{id} <Name text={name} />
    </Link>
  </>
);
