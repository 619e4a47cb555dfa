-- AlterTable
ALTER TABLE "installations" ADD COLUMN     "chosen_apps" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- By hand: what is known of those that are there. Whose credentials have all gone already, chose none.
UPDATE "installations" n SET "chosen_apps" = ARRAY(
    SELECT DISTINCT c."app" FROM "credentials" c WHERE c."id" = ANY(n."credential_ids"));
