/** What fields, sections and the save bar share: the draft, the options' descriptions, and saving. */
import { createContext, useContext, useMemo } from "react";
import { Fault } from "../../../../../contract/src/fault.ts";
import { permissionOfOption } from "../../../../../contract/src/permissions.ts";
import { isRoot } from "../../../../../contract/src/roles.ts";
import type { OptionDescription } from "../../../../../contract/src/features/options.ts";
import { mayOf, type Viewer } from "../../../lib/viewer.ts";
import { useStore } from "../../../lib/store.ts";
import { edited, kept, type OptionState, reverted } from "./draft.ts";
import type { DraftStore } from "./draft-store.ts";

export interface Settings {
  store: DraftStore;
  /** In the order of the page. */
  descriptions: ReadonlyMap<string, OptionDescription>;
  /** Who looks at the page. */
  viewer: Viewer | null;
  isSaving: boolean;
  /** Stores what was changed. Resolves true where all of it was. */
  save(): Promise<boolean>;
  /** Opens the tab of an option, shows its field and focuses it. */
  jump(option: string): void;
}

/** One option: what it is, what is stored and typed, and how to change it. */
export interface OptionField extends OptionState {
  description: OptionDescription;
  /** Shown, but not this viewer's to change: the super administrator's, or not permitted. */
  isReadOnly: boolean;
  /** Changes the draft; nothing is stored before it is saved. */
  set(text: string): void;
  /** Takes the change back. */
  revert(): void;
  /** Keeps what is typed although another user stored another value. */
  keepMine(): void;
}

/** Props of the parts of a section. */
export interface SectionDraft {
  /** One option by name. Throws a RangeError for a name that the server does not know. */
  option(name: string): OptionField;
  /** Whether anything on the whole page was changed. */
  hasChanges: boolean;
  isSaving: boolean;
  /** Stores all changes of the page. Resolves true where all of them were. */
  save(): Promise<boolean>;
}

export const SettingsContext = createContext<Settings | undefined>(undefined);

export function useSettings(): Settings {
  const settings = useContext(SettingsContext);
  if (settings === undefined) throw new Fault("no_settings", "a field stands outside of the settings page");
  return settings;
}

function fieldOf({ store, viewer }: Settings, description: OptionDescription, state: OptionState): OptionField {
  const { key, owner, is_secret: isSecret } = description;
  const { section } = description;
  const isReadOnly =
    owner === "root" ? !isRoot(viewer?.role ?? 0) : !mayOf(viewer, permissionOfOption(key, { section }));
  return {
    ...state,
    description,
    isReadOnly,
    set: (text) => {
      if (!isReadOnly) store.change((draft) => edited(draft, key, text, isSecret));
    },
    revert: () => store.change((draft) => reverted(draft, key)),
    keepMine: () => store.change((draft) => kept(draft, key)),
  };
}

/** Throws a RangeError for a name that the server does not describe. */
function describe({ descriptions }: Settings, name: string): OptionDescription {
  const description = descriptions.get(name);
  if (description === undefined) throw new RangeError(`The server does not describe the option '${name}'`);
  return description;
}

/** One option's field; drawn again when something about this option changes. */
export function useOptionField(name: string): OptionField {
  const settings = useSettings();
  const { store } = settings;
  const description = describe(settings, name);
  const state = useStore(store, () => store.option(name));
  return useMemo(() => fieldOf(settings, description, state), [settings, description, state]);
}

/** The draft of the page, for parts that look at several options; drawn again with every change. */
export function useSectionDraft(): SectionDraft {
  const settings = useSettings();
  const { store, isSaving, save } = settings;
  const draft = useStore(store);
  return {
    option: (name) => fieldOf(settings, describe(settings, name), store.option(name)),
    hasChanges: draft.entries.size > 0,
    isSaving,
    save,
  };
}

/** Props of the control of one option. Label, help, errors and conflicts stand around it. */
export interface FieldProps {
  field: OptionField;
  /** Id of the control, which the label points to; the label's own id is `${id}-label`. */
  id: string;
  /** Id of the help or the error. */
  describedBy: string;
  /** The label's text, for controls of several parts. */
  label: string;
}
