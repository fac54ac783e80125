/** Actions on the selected redemption codes: copying them, or saving them as a file. */
import { Button } from "@mantine/core";
import { IconCopy, IconDownload } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { copyText } from "../../lib/clipboard.ts";
import { saveFile } from "../../lib/download.ts";
import { codesFileName, codesText } from "./model/code.ts";

const glyph = { size: 15, stroke: 1.5 } as const;

/** Copies the codes, one a line, and says so. */
function useCopyCodes(codes: readonly string[]): () => Promise<void> {
  const { t } = useTranslation("redemptions");
  return async () => {
    if (await copyText(codes.join("\n"))) toast.success(t("codesCopied", { count: codes.length }));
  };
}

interface KeepCodesProps {
  codes: readonly string[];
  /** Of the file. */
  name: string;
  /** In the foot of a drawer, where what is usually done is filled and comes last. */
  isFoot?: boolean;
}

/** Two buttons: copy the codes, and save them as a text file of this name. */
export function KeepCodes({ codes, name, isFoot = false }: KeepCodesProps) {
  const { t } = useTranslation("redemptions");
  const onCopy = useCopyCodes(codes);
  const copy = (
    <Button variant={isFoot ? "filled" : "default"} leftSection={<IconCopy {...glyph} />} onClick={() => void onCopy()}>
      {t("copyCodes")}
    </Button>
  );
  return (
    <>
      {!isFoot && copy}
      <Button
        leftSection={<IconDownload {...glyph} />}
        onClick={() =>
          saveFile(new Blob([codesText(codes)], { type: "text/plain;charset=utf-8" }), codesFileName(name))
        }
      >
        {t("download")}
      </Button>
      {isFoot && copy}
    </>
  );
}
