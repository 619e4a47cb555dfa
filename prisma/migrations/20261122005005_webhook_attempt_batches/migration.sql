-- Of what a message costs PostgreSQL, two thirds were the row of its attempt and the row's three indexes.
-- What one checkpoint saves is one row now.
-- CreateTable
CREATE TABLE "webhook_attempt_batches" (
    "id" BIGSERIAL NOT NULL,
    "subscription_id" UUID NOT NULL,
    "saved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "message_ids" TEXT[],
    "attempts" JSON NOT NULL,

    CONSTRAINT "webhook_attempt_batches_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_attempt_batches_subscription_id_id_idx" ON "webhook_attempt_batches"("subscription_id", "id");

-- Those that are kept already, a hundred in a row.
INSERT INTO "webhook_attempt_batches" ("subscription_id", "saved_at", "message_ids", "attempts")
SELECT subscription_id, max(at), array_agg(message_id ORDER BY id),
    json_agg(json_build_object('topic', topic, 'change', change, 'attempt', attempt,
        'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'latencyMs', latency_ms,
        'status', status, 'failure', failure, 'answer', answer) ORDER BY id)
FROM (
    SELECT *, (row_number() OVER (PARTITION BY subscription_id ORDER BY id) - 1) / 100 AS batch
    FROM "webhook_attempts"
) AS numbered
GROUP BY subscription_id, batch
-- The oldest are deleted from the front on.
ORDER BY max(id);

-- CreateIndex
-- Without the list of what is yet to be indexed: whoever fills it up would wait while it is worked through.
CREATE INDEX "webhook_attempt_batches_message_ids_idx" ON "webhook_attempt_batches" USING GIN ("message_ids") WITH (fastupdate = off);

-- DropTable
DROP TABLE "webhook_attempts";

-- The trigger that deletes them with their subscription (webhook_attempt_owner).
CREATE OR REPLACE FUNCTION delete_webhook_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM webhook_attempt_batches b USING gone WHERE b.subscription_id = gone.subscription_id;
    RETURN NULL;
END $$;
