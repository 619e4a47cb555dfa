-- The ids of what is nested in a record and can be referred to by itself: the variants of products. Whoever
-- orders one names it by its id alone. Only the ids are indexed, one entry a variant.
CREATE INDEX "commerce_products_variants_ids" ON "commerce_products"
  USING gin (jsonb_path_query_array("variants", '$[*].id'));
