import { useInfiniteQuery } from '@tanstack/react-query'
import { useLanguage } from '../language/language.tsx'
import { useShop } from '../shop.ts'
import './catalogue-page.css'
import { Loading } from './loading.tsx'
import { Notice } from './notice.tsx'
import { PageHead } from './page-head.tsx'
import { ProductCard } from './product-card.tsx'

export function CataloguePage() {
  const { queries } = useShop()
  const { messages } = useLanguage()
  const words = messages.catalogue
  const catalogue = useInfiniteQuery(queries.catalogue())
  const products = catalogue.data?.pages.flatMap(page => page.products)
  // The notice stands where the person looks: at the button that they pressed.
  const isAboutMore = catalogue.isFetchingNextPage || catalogue.isFetchNextPageError

  return (
    <>
      <PageHead
        title={words.title}
        tagline={words.tagline}
        notice={!isAboutMore && <Notice result={catalogue} />}
      />
      <section aria-labelledby="products" aria-busy={catalogue.isFetching}>
        <h2 id="products" className="visually-hidden">
          {words.products}
        </h2>
        {products ? (
          <ul className="shelf">
            {products.map(product => (
              <ProductCard key={product.id} product={product} />
            ))}
          </ul>
        ) : catalogue.isError ? (
          <p className="empty">{words.empty}</p>
        ) : (
          <Loading label={words.loading} shape="tile" count={6} />
        )}
        {products && (
          <div className="shelf__more">
            {isAboutMore && <Notice result={catalogue} />}
            {catalogue.hasNextPage ? (
              <button
                type="button"
                className="button"
                // Not `disabled`: that would drop the focus of whoever just pressed it.
                aria-disabled={catalogue.isFetching}
                onClick={() => {
                  if (!catalogue.isFetching) void catalogue.fetchNextPage()
                }}
              >
                {catalogue.isFetchingNextPage ? words.showingMore : words.showMore}
              </button>
            ) : (
              <p>{words.end}</p>
            )}
          </div>
        )}
      </section>
    </>
  )
}
