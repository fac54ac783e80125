/** A short check list, each step with its button until it is done; for new sites and new members. */
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import styles from "./steps-card.module.css";

export interface Step {
  name: string;
  isDone: boolean;
  title: string;
  text: string;
  button: string;
  /** A page of the console, with its search. */
  to: string;
  search: object;
}

export interface StepsCardProps {
  title: string;
  steps: readonly Step[];
  words: { done: (done: number, count: number) => string; isDone: string; away: string };
  onAway: () => void;
}

export function StepsCard({ title, steps, words, onAway }: StepsCardProps) {
  const id = useId();
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone)?.name;
  return (
    <section className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        <span>{words.done(done, steps.length)}</span>
        <Tooltip label={words.away}>
          <ActionIcon variant="subtle" size={28} aria-label={words.away} onClick={onAway}>
            <IconX size={15} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      </header>
      <ol className={styles.steps}>
        {steps.map(({ name, isDone, ...step }, index) => (
          <li key={name} data-is-done={isDone || undefined}>
            <span className={styles.mark} aria-hidden>
              {isDone ? <IconCheck size={14} stroke={2} /> : index + 1}
            </span>
            <div className={styles.words}>
              <b>{step.title}</b>
              {isDone && <span className={styles.hidden}>{words.isDone}</span>}
              <p>{step.text}</p>
            </div>
            {!isDone && (
              <Link to={step.to} search={step.search as never}>
                <Button component="span" variant={name === next ? "filled" : "default"}>
                  {step.button}
                </Button>
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
