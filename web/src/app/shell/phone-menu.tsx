/** The button of the phone's menu in the top bar; its drawer is loaded when it is first opened. */
import { ActionIcon } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMenu2 } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";

const PhoneDrawer = lazy(async () => ({ default: (await import("./phone-drawer.tsx")).PhoneDrawer }));

export function PhoneMenu() {
  const { t } = useTranslation("shell");
  const [isOpen, { open, close }] = useDisclosure(false);
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <>
      <ActionIcon
        variant="subtle"
        size={40}
        aria-label={t("menu")}
        aria-expanded={isOpen}
        onClick={() => {
          setWasOpened(true);
          open();
        }}
      >
        <IconMenu2 size={18} stroke={1.5} />
      </ActionIcon>
      {wasOpened && (
        <Suspense>
          <PhoneDrawer isOpen={isOpen} close={close} />
        </Suspense>
      )}
    </>
  );
}
