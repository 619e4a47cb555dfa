-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "absence" TEXT,
ADD COLUMN     "failure_code" TEXT;

-- By hand: the code was the beginning of the text, and an absence stood in the place of a failure.
UPDATE "sync_states" SET "absence" = substr("failure", length('ABSENT: ') + 1), "failure" = NULL
    WHERE "failure" LIKE 'ABSENT: %';
UPDATE "sync_states" SET "failure_code" = split_part("failure", ': ', 1),
    "failure" = substr("failure", strpos("failure", ': ') + 2)
    WHERE "failure" IS NOT NULL;
